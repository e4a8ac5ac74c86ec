// A slot: the SHA-256 of what follows, the value's number and its length, 8 bytes each,
// little-endian, then the value; the rest means nothing. A slot fills whole blocks, so that writing
// one never touches the other, and is written with its zeros when the file is made: what is
// overwritten later has its place on the disk already.
#include "server/ledger/folded/durable_slots.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/little_endian.h"
#include "base/sha256.h"
#include "base/status_macros.h"

namespace topicwall::ledger {
namespace {

constexpr int64_t kBlock = 4096;
constexpr int64_t kDigest = 32;
constexpr int64_t kHead = kDigest + 16;
constexpr int kReadings = 5;
constexpr int64_t kMostBytes = int64_t{32} << 20;

std::string SlotOf(int64_t number, absl::string_view value) {
  std::string body;
  base::AppendLittleEndian(number, &body);
  base::AppendLittleEndian(static_cast<int64_t>(value.size()), &body);
  absl::StrAppend(&body, value);
  return base::DigestBytes(base::Sha256Of(body)) + body;
}

struct Found {
  int64_t number;
  absl::string_view value;
};

std::optional<Found> FoundIn(absl::string_view slot) {
  if (slot.size() < kHead) return std::nullopt;
  const int64_t length = base::FromLittleEndian<int64_t>(slot.substr(kHead - 8));
  // Before the digest, since it says how much is hashed: of a slot half written it may be anything.
  if (length < 0 || length > static_cast<int64_t>(slot.size()) - kHead) return std::nullopt;
  const base::Digest digest = base::Sha256Of(slot.substr(kDigest, kHead - kDigest + length));
  if (base::DigestBytes(digest) != slot.substr(0, kDigest)) return std::nullopt;
  return Found{.number = base::FromLittleEndian<int64_t>(slot.substr(kDigest)),
               .value = slot.substr(kHead, length)};
}

int64_t SlotBytesOf(absl::string_view both) { return static_cast<int64_t>(both.size()) / 2; }

std::optional<Found> NewestIn(absl::string_view both) {
  const std::optional<Found> first = FoundIn(both.substr(0, SlotBytesOf(both)));
  const std::optional<Found> second = FoundIn(both.substr(SlotBytesOf(both)));
  if (!first.has_value() || !second.has_value()) return first.has_value() ? first : second;
  return second->number > first->number ? second : first;
}

int64_t SlotBytesFor(absl::string_view value) {
  // Room to grow, or every new budget would make the file anew.
  const int64_t bytes = kHead + 2 * static_cast<int64_t>(value.size());
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

absl::StatusOr<DurableSlots> DurableSlots::Make(const std::string& path, absl::string_view value) {
  const int64_t slot_bytes = SlotBytesFor(value);
  // The first slot is the odd numbers'.
  std::string bytes = SlotOf(1, value);
  bytes.resize(2 * slot_bytes, '\0');
  TW_RETURN_IF_ERROR(base::ReplaceFileDurably(path, bytes));
  return Open(path);
}

absl::StatusOr<std::string> DurableSlots::ValueIn(const std::string& path) {
  std::optional<Found> newest;
  std::string bytes;
  // One slot is written at a time: only a reading that takes as long as two writes finds neither.
  for (int reading = 0; reading < kReadings && !newest.has_value(); ++reading) {
    TW_ASSIGN_OR_RETURN(bytes, base::ReadWholeFile(path, kMostBytes));
    newest = NewestIn(bytes);
  }
  if (newest.has_value()) return std::string(newest->value);
  return absl::DataLossError(absl::StrCat(path, " is damaged."));
}

absl::StatusOr<DurableSlots> DurableSlots::Open(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, kMostBytes));
  const std::optional<Found> newest = NewestIn(bytes);
  if (!newest.has_value()) return absl::DataLossError(absl::StrCat(path, " is damaged."));
  base::FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  DurableSlots slots(path, std::move(file), SlotBytesOf(bytes));
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
  // The data alone: the file's length and place are those it was made with.
  if (fdatasync(file_.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot sync ", path_));
  }
  // Only now: after a failure the next try writes over the same slot, and never over the good one.
  ++number_;
  value_ = std::string(value);
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
