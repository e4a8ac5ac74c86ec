// Reads and checks the custodian's configuration (proto/wall_config.proto).
//
//   TW_ASSIGN_OR_RETURN(WallConfig config, ReadWallConfig("/etc/topicwall/wall.textproto"));
//
// Fails closed: an unknown or repeated field, a missing one, a value out of its
// domain, a name that is given twice, are errors that say the file with line and
// column, or the field, the rule and the value. There is no default for anything
// that the guarantee, the schedule or who may connect depends on.
//
// Privacy: PUBLIC to the custodian; nothing here is computed from a corpus.
// Threads: free functions without state.
#ifndef TOPICWALL_SERVER_WALL_CONFIG_H_
#define TOPICWALL_SERVER_WALL_CONFIG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wall_config.pb.h"

namespace topicwall::server {

// Shortest and longest release interval T, in milliseconds.
inline constexpr int64_t kMinReleaseIntervalMs = 50;
inline constexpr int64_t kMaxReleaseIntervalMs = 3'600'000;

// Most time to be set aside for storing a mebibyte, in milliseconds.
inline constexpr int64_t kMaxStoreMsPerMebibyte = 60'000;

// Most memory for decoded blocks of one corpus, in MiB: 1 TiB.
inline constexpr int64_t kMaxDecodedCacheMebibytes = int64_t{1} << 20;

// INVALID_ARGUMENT as above; NOT_FOUND if the file cannot be read. Paths in the
// result are made absolute against the folder of `path`.
absl::StatusOr<v1::WallConfig> ReadWallConfig(absl::string_view path);

// The same for a text, with paths relative to `folder`; `name` appears in errors.
absl::StatusOr<v1::WallConfig> ParseWallConfig(absl::string_view text, absl::string_view name,
                                               absl::string_view folder);

// NOT_FOUND naming the corpus and the file's field if the configuration has none of
// that name.
absl::StatusOr<v1::CorpusConfig> FindCorpusConfig(const v1::WallConfig& config,
                                                  absl::string_view corpus);

// Limits that may be left out.
// U: privacy units that a corpus with these limits may hold, 2^26 unless they say otherwise.
int64_t MaxUnits(const v1::Limits& limits);
int MaxOpenPlans(const v1::Limits& limits);
int ReservationDays(const v1::Limits& limits);

// How many of `max_releases` this analyst may reserve on the corpus: as configured, otherwise an
// equal part, rounded up. 0 without access to it.
int64_t ShareOfReleases(const v1::WallConfig& config, absl::string_view corpus,
                        absl::string_view analyst, int64_t max_releases);

// In the data directory.
std::string CorpusFile(const v1::WallConfig& config, absl::string_view corpus);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_WALL_CONFIG_H_
