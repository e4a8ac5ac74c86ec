// Files get their times from a clock that ticks every few milliseconds.
#ifndef TOPICWALL_TESTS_SERVER_CORPUS_LATER_H_
#define TOPICWALL_TESTS_SERVER_CORPUS_LATER_H_

#include <string>

#include "server/corpus/file_stamp.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {

// Returns once what is changed has another time than `path`.
inline void WaitForALaterTime(const testing::TemporaryDirectory& folder, const std::string& path) {
  std::string content = "0";
  while (StampOf(folder.Write("tick", content))->changed_ns <= StampOf(path)->changed_ns) {
    content[0] ^= 1;
  }
}

}  // namespace topicwall::corpus

#endif  // TOPICWALL_TESTS_SERVER_CORPUS_LATER_H_
