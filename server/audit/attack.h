// What every part of an audit is given: how hard to try, choices, a folder, and somebody to tell.
//
//   TW_ASSIGN_OR_RETURN(const std::unique_ptr<Attack> attack, Attack::Create(options));
//   TW_ASSIGN_OR_RETURN(random::Keystream choices, attack->Choices("pairs"));
//
// Everything that an audit chooses by chance (pairs, inputs, orders) follows from its seed, which
// it shows. A fresh seed makes every run look elsewhere; the seed of a run that found something
// makes the same choices once more. What the wall draws (keys, coins, noise, versions) is never
// seeded: a program that could would be the defect that an audit looks for.
//
// PUBLIC. Threads: one, but for NewPath.
#ifndef TOPICWALL_SERVER_AUDIT_ATTACK_H_
#define TOPICWALL_SERVER_AUDIT_ATTACK_H_

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"
#include "server/audit/audit.h"
#include "server/random/keystream.h"

namespace topicwall::audit {

class Attack {
 public:
  // INVALID_ARGUMENT for options out of range, or a scratch_directory that cannot have the folder;
  // UNAVAILABLE if it cannot be made elsewhere, or the operating system gives no seed. Forks.
  static absl::StatusOr<std::unique_ptr<Attack>> Create(const AuditOptions& options);
  // Removes the folder.
  ~Attack();

  const AuditOptions& options() const { return options_; }
  // Each statistical check may fail by chance with probability at most e^-x on each side.
  double x() const;
  const std::string& seed() const { return seed_; }
  // Those of one purpose, independent of those of every other.
  absl::StatusOr<random::Keystream> Choices(absl::string_view purpose) const;
  // In the audit's own folder (mode 0700); not given before, and nothing is there.
  std::string NewPath(absl::string_view name);
  void Tell(absl::string_view line) const;

 private:
  explicit Attack(const AuditOptions& options) : options_(options) {}
  // Forks a process that removes the folder if this one ends otherwise than by the destructor.
  absl::Status StartKeeper();

  const AuditOptions options_;
  std::string seed_;
  std::string folder_;
  base::FileDescriptor alive_{-1};
  pid_t keeper_ = -1;
  std::atomic<int> given_ = 0;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_ATTACK_H_
