// Our own libraries: where they are, and loading them into the program.
#pragma once
#include <string>

namespace warplens::audit {

// Our stand-in for the library that is asked for by this name or path ("libcudart.so.12", "/opt/x/libcuda.so.1"), or ""
// if we have none.
std::string stand_in_for(const char* name);

// Where NVIDIA's NVRTC would be opened, from the file `path`, ours is: the file is remembered. "" for any other path.
std::string nvrtc_in_place_of(const char* path);
// The remembered file, for the name under which ours asks for it ("warplens:libnvrtc.so.13"); "" for any other name.
std::string real_nvrtc(const char* name);

// Whether the file is one of ours.
bool is_own(const std::string& path);

// Our libcudart of that release, loaded into the program itself on first use. Null: it cannot be; said once.
void* load_runtime(int major);

// int(const char* function): says that a function is not served and returns cudaErrorNotSupported.
void* refusal();

}  // namespace warplens::audit
