// One file descriptor, closed when the object goes.
//
//   const FileDescriptor file(open(path, O_RDONLY | O_CLOEXEC));
//   if (!file.valid()) return absl::ErrnoToStatus(errno, …);
//   fsync(file.get());
//
// Whoever wants to know whether close(2) failed syncs before. Threads: as an int.
#ifndef TOPICWALL_BASE_FILE_DESCRIPTOR_H_
#define TOPICWALL_BASE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace topicwall::base {

class FileDescriptor {
 public:
  // Takes over what open(2) returned, which may be -1: there is none.
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (valid()) close(number_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool valid() const { return number_ >= 0; }
  int get() const { return number_; }

 private:
  int number_;  // negative: none, or moved away
};

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_FILE_DESCRIPTOR_H_
