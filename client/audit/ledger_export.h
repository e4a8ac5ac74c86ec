// notes.events: a whole chain in a file, which only ever grows.
//
// What stands in the file was seen once, by somebody who may see more than today's reader does. So
// it must be the beginning of what is shown now, entry by entry, and stays as it is; the entries
// behind it are appended. A file that is anything else is left untouched and an error: it may be
// the only proof of what a ledger was before it was put back.
//
// Whoever reads one opens it (OpenExport): all of its hashes can be computed anew by whoever edits
// it, and so its end must be signed by the custodian, where it is signed at all. An earlier version
// wrote none, and somebody may have taken it away: then there is a remark, which is to be shown.
//
// `topicwall-admin thaw --events` takes such a file. Written whole and renamed, under a lock
// (durable_file.h, file_lock.h). PUBLIC to its reader. Threads: one. Cost: the whole file each
// time.
#ifndef TOPICWALL_CLIENT_AUDIT_LEDGER_EXPORT_H_
#define TOPICWALL_CLIENT_AUDIT_LEDGER_EXPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {

// Not yet verified. NOT_FOUND; INVALID_ARGUMENT if it is no such file.
absl::StatusOr<v1::LedgerExport> ReadExport(const std::string& path);

struct OpenedExport {
  std::vector<v1::LedgerEntry> entries;  // verified, to the last
  std::string signed_by = {};            // 32 bytes: the budget's key; empty if nobody vouches
  std::string remark = {};               // who vouches for it, where that is not known; or empty
};

// `known_keys`: the custodian's, 32 bytes each, as the profile pins it and receipts have it; empty
// ones are none. Errors as of ReadExport; DATA_LOSS, which says that the file is at fault, if its
// chain does not verify, its budget has another key than a known one, or its signed head does not
// open with that or is not of its last entry; FAILED_PRECONDITION (proto::IsWrittenByNewer).
absl::StatusOr<OpenedExport> OpenExport(const std::string& path,
                                        absl::Span<const std::string> known_keys);

// `entries`: the whole chain as it is shown now, the last with its signed head if there is one.
// DATA_LOSS, naming the first entry that differs, if the file holds another chain, or a longer one,
// or `entries` do not verify; INVALID_ARGUMENT if the file is at fault: no export, one of another
// corpus, one that does not verify, or one that differs and whose own signed head is not of its
// end.
absl::Status ExtendExport(const std::string& path, absl::string_view corpus,
                          absl::Span<const v1::LedgerEntry> entries);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_LEDGER_EXPORT_H_
