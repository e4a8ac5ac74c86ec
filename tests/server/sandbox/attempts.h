// What somebody who has taken over the gate or the vault would try, each with what is to come of
// it.
#ifndef TOPICWALL_TESTS_SERVER_SANDBOX_ATTEMPTS_H_
#define TOPICWALL_TESTS_SERVER_SANDBOX_ATTEMPTS_H_

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/server/sandbox/confined_process.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::sandbox {

// The upper half of a register, of which the kernel sees nothing where the argument is an int.
inline constexpr uint64_t kBeyondInt = uint64_t{1} << 40;

struct Attempt {
  std::string name;
  std::function<long()> call;  // as a system call: -1 with errno
  int gate;                    // what errno is inside; 0: it is done
  int vault;
  bool anybody =
      true;  // outside it needs no privilege, and no part of a kernel that may be missing
};

// Something to be attacked, forked from the test before the attacker: so it has the same memory at
// the same place, and the same user.
class Victim {
 public:
  Victim();
  ~Victim();
  pid_t pid() const { return pid_; }
  int descriptor() const { return descriptor_; }  // a pidfd
  // Neither ended nor stopped, with the limit and processors it had.
  bool IsUnharmed() const;

 private:
  pid_t pid_;
  int descriptor_;
};

// Folders "open" (readable) with "file", "data" (writable) with "kept", and "secret" (neither) with
// "file".
class Folders {
 public:
  explicit Folders(std::string root);
  std::string operator()(const std::string& name) const { return root_ + "/" + name; }
  Paths paths() const;

 private:
  std::string root_;
};

// Descriptors that are there before the room is entered.
struct Inherited {
  Inherited();
  int pipe[2];
  int tcp;       // neither bound nor connected
  int bound;     // listens on loopback, without waiting
  int datagram;  // IPv4, not connected
  int data;      // an empty file that may be written
  int log;       // the same, for appending
};

// attempts_on_files.cc: what Landlock holds to paths, and what it does not look at.
std::vector<Attempt> ByPath(const Folders& folders, const Victim& victim);
std::vector<Attempt> BesideLandlock(const Folders& folders);
std::vector<Attempt> OnTheLog(const Inherited& inherited);
// attempts_on_others.cc
std::vector<Attempt> SignalsToOthers(const Victim& victim, const Inherited& inherited);
std::vector<Attempt> IntoOthers(const Victim& victim);
// attempts_on_kernel.cc
std::vector<Attempt> OnTheKernel(const Folders& folders);
std::vector<Attempt> OnPrograms();
std::vector<Attempt> OnTheNetwork(const Inherited& inherited);

// Every attempt, one after the other, inside `enter`. "" if each came to what `expected` says, else
// a line for each that did not. `all`: also those that outside need privilege.
std::string Try(const Enter& enter, const Paths& paths, const std::vector<Attempt>& attempts,
                const std::function<int(const Attempt&)>& expected, bool all = true);

// What is tried on, for tests of a room.
class RoomFrame : public ::testing::Test {
 protected:
  const testing::TemporaryDirectory directory_;
  const Folders folders_{directory_.path()};
  const Victim victim_;
  const Inherited inherited_;
};

}  // namespace topicwall::sandbox

#endif  // TOPICWALL_TESTS_SERVER_SANDBOX_ATTEMPTS_H_
