#include "cuda/runtime.h"

namespace warplens::cuda {
namespace {

struct Entry {
  int code;
  const char* name;
  const char* text;
};
constexpr Entry kErrors[] = {
#define WL_ERROR(code, name, text) {code, #name, text},
#include "cuda/errors.def"
#undef WL_ERROR
};
constexpr const char* kUnknown = "unrecognized error code";

const Entry* find(int code) {
  for (const Entry& entry : kErrors) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const char* wl_cudaGetErrorName(int code) {
  const Entry* entry = find(code);
  return entry ? entry->name : kUnknown;
}

extern "C" __attribute__((visibility("default"))) const char* wl_cudaGetErrorString(int code) {
  const Entry* entry = find(code);
  return entry ? entry->text : kUnknown;
}

WL_API wl_cudaPeekAtLastError() { return last_error; }

WL_API wl_cudaGetLastError() {
  Error error = last_error;
  last_error = Error::cudaSuccess;
  return error;
}

}  // namespace warplens::cuda
