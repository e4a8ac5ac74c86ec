// A fuzz target: a decoder or service, the claims that hold for it whatever the bytes, and small
// valid inputs to begin from.
//
//   Verdict Run(absl::string_view input) {
//     const auto parsed = Parse(input);
//     if (!parsed.ok()) return Refuse(parsed.status(), {.longest_message = 300});
//     Require(Parse(Print(*parsed)) == *parsed, "what is printed reads back the same");
//     return Verdict::kAccepted;
//   }
//   const bool registered = Register({.name = "parser", .run = Run, .seeds = Seeds});
//
// One source, NAME_fuzzer.cc, registers one target. The same object is linked twice: into the
// libFuzzer program NAME_fuzzer (preset fuzz; libfuzzer_entry.cc), and with all others into
// fuzz_replay_test of every build, which runs the seeds and the inputs kept in corpus/NAME/.
//
// A claim that fails ends the process: for libFuzzer that is a finding with its input, for ctest
// a failed test.
//
// Threads: targets run on one thread; what they start is their own.
#ifndef TOPICWALL_TESTS_FUZZ_FUZZ_TARGET_H_
#define TOPICWALL_TESTS_FUZZ_FUZZ_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::fuzz {

enum class Verdict { kRefused, kAccepted };

struct FuzzTarget {
  std::string name;
  // Leaves nothing behind that the next input could notice, but for what a server remembers.
  Verdict (*run)(absl::string_view input);
  // Every one is accepted, run in their order in a new process.
  std::vector<std::string> (*seeds)();
};

// For initialising a variable of namespace scope; the value says nothing.
bool Register(FuzzTarget target);
// Of this program, sorted by name.
const std::vector<FuzzTarget>& AllTargets();

// Ends the process, with `claim` on standard error, unless it holds.
void Require(bool holds, absl::string_view claim);

// What a refusal must be like.
struct RefusalRules {
  std::vector<absl::StatusCode> codes = {absl::StatusCode::kInvalidArgument};
  size_t longest_message = 400;              // bytes: a text is not a way to fill a log
  std::vector<std::string> never_said = {};  // PRIVATE words: in no text, whatever was asked
};

// Requires that `status` is an error by the rules, with a text in it.
Verdict Refuse(const absl::Status& status, const RefusalRules& rules);

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_FUZZ_TARGET_H_
