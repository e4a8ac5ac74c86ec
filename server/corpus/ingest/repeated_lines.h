// Which lines of an input have the name of an earlier one, for the custodian to look at.
//
//   RepeatedLines repeated;
//   repeated.Add(/*line=*/7, /*first_line=*/3);
//   repeated.Text();  // "\n  line 7 repeats line 3"
//
// Counts all of them and keeps the first kRepeatedLinesNamed by number.
// PRIVATE: for the custodian's terminal alone. Threads: one thread's object.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_REPEATED_LINES_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_REPEATED_LINES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace topicwall::corpus {

inline constexpr size_t kRepeatedLinesNamed = 20;

class RepeatedLines {
 public:
  // Lines in any order, each once.
  void Add(int64_t line, int64_t first_line);

  int64_t size() const { return size_; }
  // A line of text for each that is kept, and one for the rest; each begins with "\n  ".
  std::string Text() const;

 private:
  int64_t size_ = 0;
  std::map<int64_t, int64_t> kept_;  // the line it repeats, by line
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_REPEATED_LINES_H_
