// A wall of the size of a model in use, K = 100 and V = 50,000, asked over gRPC: where noise and
// draws are looked at once more.
//
//   TW_ASSIGN_OR_RETURN(auto world, ProductionWorld::Start(&folder));
//   world->Observe({.sampling_rate = 1, .noise_multiplier = 1, .releases = 2},
//                  [&](const ReceivedRelease& release) { … });
//
// There is a unit for every term, of that word once, and term v is in topic v mod K alone: at clip
// norm 1 a unit adds 1 to the one entry that is its own, and all other entries are noise alone.
//
// Threads: one at a time. Cost: 2 s to start, then 2 s a release; 200 MB, and 20 MB of the folder a
// release.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_PRODUCTION_WORLD_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_PRODUCTION_WORLD_H_

#include <cstddef>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/audit/scratch_folder.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/wall_probe.h"

namespace topicwall::audit {

class ProductionWorld {
 public:
  static constexpr std::size_t kTopics = 100;    // K
  static constexpr std::size_t kTerms = 50'000;  // V, and units

  struct Setting {
    double sampling_rate;
    double noise_multiplier;
    int releases;
  };

  static absl::StatusOr<std::unique_ptr<ProductionWorld>> Start(ScratchFolder* folder);

  // Reserves a plan and hands over its releases.
  absl::Status Observe(const Setting& setting, absl::FunctionRef<void(const ReceivedRelease&)> use);

  // Of a unit, in a release: topic by topic.
  static std::size_t EntryOf(std::size_t unit) { return unit % kTopics * kTerms + unit; }

 private:
  explicit ProductionWorld(std::unique_ptr<AuditedWall> wall);

  const std::unique_ptr<AuditedWall> wall_;
  const ReleaseQuestion question_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_PRODUCTION_WORLD_H_
