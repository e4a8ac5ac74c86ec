// One small value that is replaced often, durably, and with one sync each time: its file has two
// slots, and the one that has the older value is overwritten where it lies.
//
//   TW_ASSIGN_OR_RETURN(DurableSlots slots, DurableSlots::Make("data/ledger.seen", bytes));
//   TW_RETURN_IF_ERROR(slots.Put(more));       // survives a power cut from here on
//
// Each slot has the SHA-256 of what is in it, so one that a crash left half written is not read:
// the other one then has the value before. Neither name nor size of the file change, hence no
// folder is synced and a full disk is in nobody's way; a value that has outgrown its slot is
// written as ReplaceFileDurably does, into slots of twice its size.
//
// Errors: as of ReplaceFileDurably and ReadWholeFile. Threads: one at a time.
// Cost of Put: a sync of one file, where replacing the file takes three times as long.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_DURABLE_SLOTS_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_DURABLE_SLOTS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"

namespace topicwall::ledger {

class DurableSlots {
 public:
  // A new file, in the place of one that is there.
  static absl::StatusOr<DurableSlots> Make(const std::string& path, absl::string_view value);
  // One that was made before. NOT_FOUND if there is none; DATA_LOSS if neither slot is whole.
  static absl::StatusOr<DurableSlots> Open(const std::string& path);
  // The value alone, of a file that another process may be writing. Errors as of Open.
  static absl::StatusOr<std::string> ValueIn(const std::string& path);

  // What was put last, or was found by Open.
  const std::string& value() const { return value_; }

  // Durable when it answers OK. After an error the file has this value or the one before, which
  // value() still is, and the next Put does not touch that one.
  absl::Status Put(absl::string_view value);

 private:
  DurableSlots(std::string path, base::FileDescriptor file, int64_t slot_bytes)
      : path_(std::move(path)), file_(std::move(file)), slot_bytes_(slot_bytes) {}

  std::string path_;
  base::FileDescriptor file_;
  int64_t slot_bytes_;
  int64_t number_ = 1;  // of the value, from 1; even ones lie in the second slot
  std::string value_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_DURABLE_SLOTS_H_
