#include "server/corpus/file_stamp.h"

#include <sys/stat.h>

namespace topicwall::corpus {
namespace {

int64_t Nanoseconds(const struct timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::optional<FileStamp> StampOf(const std::string& path) {
  struct stat status;
  // Through links: one that leads to another file now is a change as well.
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileStamp{.device = status.st_dev,
                   .inode = status.st_ino,
                   .size = status.st_size,
                   .written_ns = Nanoseconds(status.st_mtim),
                   .changed_ns = Nanoseconds(status.st_ctim)};
}

}  // namespace topicwall::corpus
