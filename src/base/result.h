// Result<T>: a value or an Error. For things the environment or the user can get wrong; our own bugs use WL_CHECK.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace warplens {

// What went wrong, where, and what to do about it; each part is plain text for a person.
struct Error {
  std::string what;
  std::string hint;  // what to do; may be empty
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::move(value)) {}
  Result(Error error) : v_(std::move(error)) {}
  explicit operator bool() const { return v_.index() == 0; }
  T& operator*() { return std::get<0>(v_); }
  const T& operator*() const { return std::get<0>(v_); }
  T* operator->() { return &std::get<0>(v_); }
  const T* operator->() const { return &std::get<0>(v_); }
  const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace warplens
