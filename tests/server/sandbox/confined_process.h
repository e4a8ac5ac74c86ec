// A process that enters one of the rooms first, as main() has it, and then does what it is told.
//
//   ConfinedProcess process(sandbox::EnterGate, paths, [](Line& line) { line.Say("hello"); });
//   EXPECT_EQ(process.Hear(), "hello");
//   EXPECT_EQ(process.End(), 0);
//
// It is a fork of the test, which must have one thread: so tests here start others in forks only.
#ifndef TOPICWALL_TESTS_SERVER_SANDBOX_CONFINED_PROCESS_H_
#define TOPICWALL_TESTS_SERVER_SANDBOX_CONFINED_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "server/sandbox/sandbox.h"

namespace topicwall::sandbox {

// One end of a connected pair of SOCK_STREAM.
class Line {
 public:
  explicit Line(int descriptor) : descriptor_(descriptor) {}
  void Say(const std::string& text) const;  // one line
  std::string Hear() const;                 // the other side's next line; "" once it is gone

 private:
  int descriptor_;
};

using Enter = std::function<absl::StatusOr<Confinement>(const Paths&, Strictness)>;

// Stays outside.
absl::StatusOr<Confinement> EnterNothing(const Paths& paths, Strictness strictness);

class ConfinedProcess {
 public:
  using Body = std::function<void(const Line&)>;

  // If it cannot enter it says why, and ends with 3. Ends with 0 after `body`.
  ConfinedProcess(const Enter& enter, const Paths& paths, const Body& body);
  ~ConfinedProcess();
  ConfinedProcess(const ConfinedProcess&) = delete;
  ConfinedProcess& operator=(const ConfinedProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Say(const std::string& text) const { line_.Say(text); }
  std::string Hear() const { return line_.Hear(); }
  // Waits for it: as of waitpid(2).
  int End();

 private:
  int ours_ = -1;
  pid_t pid_ = -1;
  Line line_{-1};
};

// What `body` says, all of it; and how the process ended, if not with 0.
std::string SaidInside(const Enter& enter, const Paths& paths, const ConfinedProcess::Body& body);

}  // namespace topicwall::sandbox

#endif  // TOPICWALL_TESTS_SERVER_SANDBOX_CONFINED_PROCESS_H_
