// notes.events: a whole chain in a file, which only ever grows.
//
// What stands in the file was seen once, by somebody who may see more than today's reader does. So
// it must be the beginning of what is shown now, entry by entry, and stays as it is; the entries
// behind it are appended. A file that is anything else is left untouched and an error: it may be
// the only proof of what a ledger was before it was put back.
//
// `topicwall-admin thaw --events` takes such a file. Written whole and renamed, under a lock
// (durable_file.h, file_lock.h). PUBLIC to its reader. Threads: one. Cost: the whole file each
// time.
#ifndef TOPICWALL_CLIENT_AUDIT_LEDGER_EXPORT_H_
#define TOPICWALL_CLIENT_AUDIT_LEDGER_EXPORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/ledger.pb.h"

namespace topicwall::client {

// NOT_FOUND; INVALID_ARGUMENT if it is no such file.
absl::StatusOr<v1::LedgerExport> ReadExport(const std::string& path);

// `entries`: the whole chain as it is shown now, the last with its signed head if there is one.
// DATA_LOSS, naming the first entry that differs, if the file holds another chain, or a longer one,
// or `entries` do not verify; INVALID_ARGUMENT if the file is at fault: no export, one of another
// corpus, or one that does not verify.
absl::Status ExtendExport(const std::string& path, absl::string_view corpus,
                          absl::Span<const v1::LedgerEntry> entries);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_LEDGER_EXPORT_H_
