// A slot: the SHA-256 of what follows, the value's number and its length, 8 bytes each,
// little-endian, then the value; the rest means nothing. A slot fills whole blocks, so that writing
// one never touches the other, and is written with its zeros when the file is made: what is
// overwritten later has its place on the disk already.
#include "base/durable_slots.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/sha256.h"
#include "base/status_macros.h"

namespace topicwall::base {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int64_t kDigest = 32;
constexpr int64_t kHead = kDigest + 16;
constexpr int64_t kMostBytes = int64_t{32} << 20;

std::string IntegerBytes(int64_t value) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  return bytes;
}

int64_t IntegerIn(absl::string_view bytes) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return static_cast<int64_t>(value);
}

std::string SlotOf(int64_t number, absl::string_view value) {
  const std::string body =
      absl::StrCat(IntegerBytes(number), IntegerBytes(static_cast<int64_t>(value.size())), value);
  return DigestBytes(Sha256Of(body)) + body;
}

struct Found {
  int64_t number;
  absl::string_view value;
};

std::optional<Found> FoundIn(absl::string_view slot) {
  if (slot.size() < kHead) return std::nullopt;
  const int64_t length = IntegerIn(slot.substr(kHead - 8, 8));
  if (length < 0 || length > static_cast<int64_t>(slot.size()) - kHead) return std::nullopt;
  const Digest digest = Sha256Of(slot.substr(kDigest, kHead - kDigest + length));
  if (DigestBytes(digest) != slot.substr(0, kDigest)) {
    return std::nullopt;
  }
  return Found{.number = IntegerIn(slot.substr(kDigest, 8)), .value = slot.substr(kHead, length)};
}

int64_t SlotBytesFor(absl::string_view value) {
  const int64_t bytes = kHead + 2 * static_cast<int64_t>(value.size());
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

absl::StatusOr<DurableSlots> DurableSlots::Make(const std::string& path, absl::string_view value) {
  const int64_t slot_bytes = SlotBytesFor(value);
  // The first slot is the odd numbers'.
  std::string bytes = SlotOf(1, value);
  bytes.resize(2 * slot_bytes, '\0');
  TW_RETURN_IF_ERROR(ReplaceFileDurably(path, bytes));
  return Open(path);
}

absl::StatusOr<DurableSlots> DurableSlots::Open(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, ReadWholeFile(path, kMostBytes));
  const int64_t slot_bytes = static_cast<int64_t>(bytes.size()) / 2;
  const absl::string_view both = bytes;
  std::optional<Found> newest = FoundIn(both.substr(0, slot_bytes));
  const std::optional<Found> second = FoundIn(both.substr(slot_bytes));
  if (second.has_value() && (!newest.has_value() || second->number > newest->number)) {
    newest = second;
  }
  if (!newest.has_value()) return absl::DataLossError(absl::StrCat(path, " is damaged."));
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  DurableSlots slots(path, std::move(file), slot_bytes);
  slots.number_ = newest->number;
  slots.value_ = std::string(newest->value);
  return slots;
}

absl::Status DurableSlots::Put(absl::string_view value) {
  const std::string slot = SlotOf(number_ + 1, value);
  if (static_cast<int64_t>(slot.size()) > slot_bytes_) {
    slot_bytes_ = 0;  // Should it fail, the name may lead to either file: then it is made again.
    TW_ASSIGN_OR_RETURN(*this, Make(path_, value));
    return absl::OkStatus();
  }
  const int64_t place = (number_ + 1) % 2 == 0 ? slot_bytes_ : 0;
  for (size_t done = 0; done < slot.size();) {
    const ssize_t written = pwrite(file_.get(), slot.data() + done, slot.size() - done,
                                   place + static_cast<int64_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path_));
    done += static_cast<size_t>(written);
  }
  if (fdatasync(file_.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot sync ", path_));
  }
  ++number_;
  value_ = std::string(value);
  return absl::OkStatus();
}

}  // namespace topicwall::base
