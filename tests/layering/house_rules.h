// The arrows between the rooms of the house, and how long a file may be.
//
//   const SourceFile file = {.path = "model/lda/topics/e_step.h", .text = text};
//   for (const Violation& violation : CheckIncludes(file)) …
//
// A room is a folder with its sub-folders (client/commands belongs to client), the longest match
// winning (server/ledger is not server). Of our own headers a room may include its own and those
// that the table in house_rules.cc lists for it; of the headers of libraries, those listed; of the
// system's, everything but what is forbidden to it. What no rule allows is a violation, so that
// a new room, a new library or a new arrow is a line in that table and a decision.
//
// Threads: free functions without state.
#ifndef TOPICWALL_TESTS_LAYERING_HOUSE_RULES_H_
#define TOPICWALL_TESTS_LAYERING_HOUSE_RULES_H_

#include <ostream>
#include <string>
#include <vector>

namespace topicwall::layering {

// Longest files, in lines.
inline constexpr int kMaxHeaderLines = 150;
inline constexpr int kMaxSourceLines = 300;

struct SourceFile {
  std::string path;  // from the root of the tree, with '/'
  std::string text;
};

struct Violation {
  std::string path;
  int line;  // from 1
  std::string rule;
};
std::ostream& operator<<(std::ostream& out, const Violation& violation);

// Every include of `file` that no arrow allows, in order. A file outside the rooms, and one that
// is included by a path not rooted at the tree ("e_step.h", "../lda/e_step.h"), is a violation.
std::vector<Violation> CheckIncludes(const SourceFile& file);

// Every timed wait of Abseil's, which ends by the wall clock: base/threads/steady_wait.h has those
// that do not.
std::vector<Violation> CheckWaits(const SourceFile& file);

// Every call that reads numbers by the locale, which a program that has loaded ours may have set.
std::vector<Violation> CheckNumbers(const SourceFile& file);

// At most one: a header of more than kMaxHeaderLines or a source of more than kMaxSourceLines.
std::vector<Violation> CheckSize(const SourceFile& file);

// Every .h and .cc of the rooms under `root`, sorted by path; nothing of tests or build folders.
std::vector<SourceFile> ReadRooms(const std::string& root);

}  // namespace topicwall::layering

#endif  // TOPICWALL_TESTS_LAYERING_HOUSE_RULES_H_
