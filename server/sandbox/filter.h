// A seccomp filter while it is written: which system calls do what.
//
//   TW_ASSIGN_OR_RETURN(Filter filter, Filter::Create(kRefused));
//   filter.Add(kAllowed, {"read", "write"});
//   filter.Add(kAllowed, {"kill"}, {IsExactly(0, getpid())});
//   TW_RETURN_IF_ERROR(std::move(filter).Load());
//
// A condition sees registers: all 64 bits of them, of which the kernel reads 32 where the argument
// is an int. Who refuses one value of an int compares with IsInt, or 2^32 more would pass.
#ifndef TOPICWALL_SERVER_SANDBOX_FILTER_H_
#define TOPICWALL_SERVER_SANDBOX_FILTER_H_

#include <seccomp.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::sandbox {

// Actions. kUnknown: as if the kernel were older than the call; libc takes another way then.
inline constexpr uint32_t kAllowed = SCMP_ACT_ALLOW;
inline constexpr uint32_t kRefused = SCMP_ACT_ERRNO(EPERM);
inline constexpr uint32_t kUnknown = SCMP_ACT_ERRNO(ENOSYS);

// Conditions on one argument (from 0); those of one Add are on different arguments, and all hold.
scmp_arg_cmp IsExactly(unsigned argument, uint64_t value);
scmp_arg_cmp IsNot(unsigned argument, uint64_t value);
scmp_arg_cmp IsInt(unsigned argument, int value);
scmp_arg_cmp HasBits(unsigned argument, uint64_t mask, uint64_t bits);  // in `mask`, just these

class Filter {
 public:
  // What happens to calls that no Add names. INTERNAL if there is no memory.
  static absl::StatusOr<Filter> Create(uint32_t otherwise);

  // `calls` by the names of their manual pages; one that this processor's kernel does not have is
  // passed over. An error is kept until Load. Later conditions on a call are further ways to it.
  void Add(uint32_t action, absl::Span<const char* const> calls,
           const std::vector<scmp_arg_cmp>& conditions = {});
  void Add(uint32_t action, std::initializer_list<const char*> calls,
           const std::vector<scmp_arg_cmp>& conditions = {}) {
    Add(action, absl::MakeConstSpan(calls.begin(), calls.size()), conditions);
  }

  // Refuses a call unless the int `argument` is one of `allowed` (ascending, not negative).
  void RefuseAllBut(std::initializer_list<int> allowed, const char* call, unsigned argument);

  // Puts this thread, and those it starts, under the filter. Needs no_new_privs. INTERNAL naming
  // the first call that libseccomp took no rule for, or what the kernel says.
  absl::Status Load() &&;

 private:
  struct Release {
    void operator()(void* context) const { seccomp_release(context); }
  };
  explicit Filter(scmp_filter_ctx context) : context_(context) {}
  void AddOne(uint32_t action, const char* call, const std::vector<scmp_arg_cmp>& conditions);

  std::unique_ptr<void, Release> context_;
  absl::Status status_;
};

// What any of them may do with files that it inherited: inherited_filter.cc. Before the tables.
absl::Status FilterInheritedFiles();
// The tables: gate_filter.cc and vault_filter.cc. As Load.
absl::Status FilterGate();
absl::Status FilterVault();
absl::Status FilterStore();

// Whether sanitizers are in this build, which may do what filter.cc says.
bool BuiltWithSanitizers();

}  // namespace topicwall::sandbox

#endif  // TOPICWALL_SERVER_SANDBOX_FILTER_H_
