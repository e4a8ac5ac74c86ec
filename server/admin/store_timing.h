// How long storing a release takes on the disk of a data directory, measured with bytes that mean
// nothing.
//
//   TW_ASSIGN_OR_RETURN(const double milliseconds, StoreMsPerMebibyte("/var/lib/topicwall"));
//
// A release is hashed, written into a log and synced, then copied into the ledger's file and synced
// again; so are the bytes here, in a file without a name. The slowest of several times, for each
// mebibyte. Set store_ms_per_mebibyte to kStoreFactor times that: disks have bad days.
//
// PUBLIC: reads nothing. Cost: writes some 50 MB. Threads: free function without state.
#ifndef TOPICWALL_SERVER_ADMIN_STORE_TIMING_H_
#define TOPICWALL_SERVER_ADMIN_STORE_TIMING_H_

#include <string>

#include "absl/status/statusor.h"

namespace topicwall::admin {

inline constexpr double kStoreFactor = 3;

// UNAVAILABLE if the directory cannot be written, or has no room for it.
absl::StatusOr<double> StoreMsPerMebibyte(const std::string& directory);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_STORE_TIMING_H_
