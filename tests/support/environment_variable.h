// A variable of this process's environment, for as long as this lives.
//
//   const EnvironmentVariable none("HOME", nullptr);
#ifndef TOPICWALL_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_H_
#define TOPICWALL_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_H_

#include <cstdlib>
#include <optional>
#include <string>

namespace topicwall::testing {

class EnvironmentVariable {
 public:
  // Null: none of that name.
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* const before = getenv(name); before != nullptr) before_ = before;
    Set(value);
  }
  ~EnvironmentVariable() { Set(before_.has_value() ? before_->c_str() : nullptr); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  void Set(const char* value) const {
    if (value != nullptr) {
      setenv(name_, value, 1);
    } else {
      unsetenv(name_);
    }
  }

  const char* const name_;
  std::optional<std::string> before_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_ENVIRONMENT_VARIABLE_H_
