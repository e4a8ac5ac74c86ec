// The noise of releases of the production world (production_world.h), summed up: of five million
// entries each.
//
//   LargeNoiseSums sums;   // σ = 1, clip norm 1, every unit taking part
//   world->Observe(setting, [&](const ReceivedRelease& release) { sums.Add(release); });
//
// Noise is drawn in blocks of entries, term by term; each block has a stream of its own. So the
// spread is looked at block by block, and repetition by runs of four entries: those at which blocks
// begin are kept, of every release, and every four entries in a row of every release are compared
// with them. A stream that two blocks share, at whatever place in them, shows itself exactly; that
// four numbers come again by chance has probability below 2^-60.
//
// Threads: one. Cost: 1 s a release, 60 MB.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_LARGE_NOISE_SUMS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_LARGE_NOISE_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/audit/statistics/noise_sums.h"
#include "server/audit/walls/wall_probe.h"

namespace topicwall::audit {

class LargeNoiseSums {
 public:
  void Add(const ReceivedRelease& release);

  int64_t releases = 0;
  Mean shift;                          // of units' own entries: 1 each
  Mean noise;                          // of all others …
  Mean noise_squared;                  // … which is 1 on average …
  std::vector<Mean> squared_by_block;  // … in every block of every release
  Mean between_releases;               // products of every second release with the one before
  int64_t runs_twice = 0;              // of four entries

 private:
  using Run = std::array<float, 4>;
  void AddBlocks(const std::vector<float>& by_term);
  void CompareRuns(const std::vector<float>& by_term);

  std::vector<float> last_;  // by term
  // Where each begins: release and entry.
  absl::flat_hash_map<Run, std::pair<int64_t, std::size_t>> first_runs_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_LARGE_NOISE_SUMS_H_
