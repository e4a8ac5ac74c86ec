// A file descriptor, closed when the object goes, and all bytes of something over one.
//
//   const FileDescriptor file(open(path, O_RDONLY | O_CLOEXEC));
//   if (!file.valid()) return absl::ErrnoToStatus(errno, …);
//   fsync(file.get());
//
//   if (!SendAll(socket, bytes)) …                                      // the peer has gone
//   TW_ASSIGN_OR_RETURN(size_t got, ReceiveAll(socket, bytes, size));   // fewer: it has closed
//
// Whoever wants to know whether close(2) failed syncs before. Nothing that the peer of a stream
// socket (one that blocks) does or fails to do ends the process (no SIGPIPE), and a descriptor that
// it passes along is never received: the kernel drops it. Threads: as an int.
#ifndef TOPICWALL_BASE_FILE_DESCRIPTOR_H_
#define TOPICWALL_BASE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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

// False if the socket fails: part of `bytes` may be out.
bool SendAll(int socket, absl::string_view bytes);

// Some bytes, at most `size` > 0 of them; 0 once the peer has closed. UNAVAILABLE if the socket
// fails.
absl::StatusOr<size_t> ReceiveSome(int socket, char* bytes, size_t size);

// How many of `size` came before the peer closed. Errors as above.
absl::StatusOr<size_t> ReceiveAll(int socket, char* bytes, size_t size);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_FILE_DESCRIPTOR_H_
