#include "server/sandbox/filter.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TOPICWALL_SANITIZED_ true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TOPICWALL_SANITIZED_ true
#endif
#endif
#ifndef TOPICWALL_SANITIZED_
#define TOPICWALL_SANITIZED_ false
#endif

namespace topicwall::sandbox {
namespace {

// The one place where a build with sanitizers may more. The search for leaks stops all threads from
// a process of its own (clone, ptrace, wait4, prctl); symbols of a report are written by a program
// (fork, execve, pipes); shadow memory is mapped and remapped as they like; what they report on is
// read from /proc, which the caller names in Paths.
constexpr const char* kSanitizersNeed[] = {
    "clone",  "fork",      "vfork",    "execve",           "wait4",       "waitid",
    "ptrace", "getppid",   "kill",     "tgkill",           "prctl",       "ioctl",
    "mmap",   "mprotect",  "getdents", "process_vm_readv", "personality", "pipe2",
    "dup2",   "prlimit64",
};

bool SanitizersNeed(const char* call) {
  return std::any_of(std::begin(kSanitizersNeed), std::end(kSanitizersNeed),
                     [call](absl::string_view needed) { return needed == call; });
}

}  // namespace

scmp_arg_cmp IsExactly(unsigned argument, uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp IsNot(unsigned argument, uint64_t value) { return {argument, SCMP_CMP_NE, value, 0}; }
scmp_arg_cmp IsInt(unsigned argument, int value) {
  return HasBits(argument, 0xffffffff, static_cast<uint32_t>(value));
}
scmp_arg_cmp HasBits(unsigned argument, uint64_t mask, uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, bits};
}

absl::StatusOr<Filter> Filter::Create(uint32_t otherwise) {
  Filter filter(seccomp_init(otherwise));
  // Calls of other processor modes (int 0x80, x32) have numbers of their own: none is let through.
  if (filter.context_ == nullptr ||
      seccomp_attr_set(filter.context_.get(), SCMP_FLTATR_ACT_BADARCH, kRefused) != 0) {
    return absl::InternalError("libseccomp makes no filter");
  }
  if (TOPICWALL_SANITIZED_ && otherwise != kAllowed) {
    for (const char* call : kSanitizersNeed) filter.AddOne(kAllowed, call, {});
  }
  return filter;
}

void Filter::Add(uint32_t action, absl::Span<const char* const> calls,
                 const std::vector<scmp_arg_cmp>& conditions) {
  for (const char* call : calls) {
    if (!TOPICWALL_SANITIZED_ || !SanitizersNeed(call)) AddOne(action, call, conditions);
  }
}

void Filter::AddOne(uint32_t action, const char* call,
                    const std::vector<scmp_arg_cmp>& conditions) {
  const int number = seccomp_syscall_resolve_name(call);
  const int error =
      number == __NR_SCMP_ERROR
          ? -ENOENT
          : seccomp_rule_add_array(context_.get(), action, number,
                                   static_cast<unsigned>(conditions.size()), conditions.data());
  if (error == 0 || !status_.ok()) return;
  status_ =
      absl::InternalError(absl::StrCat("libseccomp takes no rule for ", call, ": errno ", -error));
}

void Filter::RefuseAllBut(std::initializer_list<int> allowed, const char* call, unsigned argument) {
  const std::vector<int> values(allowed);
  // Comparisons of all 64 bits: beyond the last are also all ints with anything in the upper half.
  Add(kRefused, {call}, {{argument, SCMP_CMP_GT, static_cast<uint64_t>(values.back()), 0}});
  for (int value = 0; value < values.back(); ++value) {
    if (std::binary_search(values.begin(), values.end(), value)) continue;
    Add(kRefused, {call}, {IsExactly(argument, static_cast<uint64_t>(value))});
  }
}

absl::Status Filter::Load() && {
  if (!status_.ok()) return status_;
  const int error = seccomp_load(context_.get());
  if (error == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("seccomp takes no filter: errno ", -error));
}

bool BuiltWithSanitizers() { return TOPICWALL_SANITIZED_; }

}  // namespace topicwall::sandbox
