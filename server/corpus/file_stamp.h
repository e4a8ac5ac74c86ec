// Which file a path names, and whether anybody has changed it since.
//
//   const std::optional<FileStamp> before = StampOf(path);
//   …
//   if (StampOf(path) != before) …  // written to, cut, replaced, renamed or removed
//
// A write, a truncation, a replacement and even a change of mode or links move the times that the
// file system keeps; the time of status changes cannot be set back as that of writing can. What
// goes unseen: bytes that the disk itself spoils, and a second change within the tick of the file
// system's clock (some milliseconds) in which the stamp was taken.
//
// Privacy: of a corpus file PRIVATE (its size). Threads: free functions without state.
// Cost: one system call, whatever the file.
#ifndef TOPICWALL_SERVER_CORPUS_FILE_STAMP_H_
#define TOPICWALL_SERVER_CORPUS_FILE_STAMP_H_

#include <cstdint>
#include <optional>
#include <string>

namespace topicwall::corpus {

struct FileStamp {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  int64_t written_ns;  // since 1970, as the file system has it
  int64_t changed_ns;

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// Nothing if the path names nothing, or nothing that may be looked at.
std::optional<FileStamp> StampOf(const std::string& path);

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_FILE_STAMP_H_
