// Two walls that differ in canaries, and their releases: what the statistics of the noise part
// are made from.
//
//   TW_ASSIGN_OR_RETURN(auto world, NoiseWorld::Start(&folder));
//   TW_ASSIGN_OR_RETURN(auto observed, world->Observe(setting, releases));
//
// One wall keeps ordinary documents over the last terms. The other keeps the same and kCanaries
// units more, each of 500 words: the even ones of one term, the odd ones of four terms equally
// often, no term in two of them, and all in topic 0. At clip norm C each adds a vector of length C
// along a direction that nothing else touches, so that the projection of a release on it, divided
// by C, is N(1, σ²) with the canary and N(0, σ²) without, and each canary of each release is a
// trial of its own. Entries beyond those of documents and canaries are noise alone in both walls.
//
// Threads: one at a time. Cost: some 30 ms a release.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_NOISE_WORLD_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_NOISE_WORLD_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "server/audit/scratch_folder.h"
#include "server/audit/walls/audited_wall.h"
#include "server/audit/walls/wall_probe.h"
#include "server/mechanism/noise_mechanism.h"

namespace topicwall::audit {

class NoiseWorld {
 public:
  static constexpr int kTopics = 4;  // K
  // Noise comes in blocks: these are the terms of three, all but the canaries' empty. More blocks
  // than the wall has threads, so that a stream of each thread's own is a stream that two blocks
  // share, whichever thread is faster.
  static constexpr int kTermsPerBlock = mechanism::kEntriesPerNoiseBlock / kTopics;
  static constexpr int kFirstOfDocuments = 3 * kTermsPerBlock;  // their terms are from here on
  static constexpr int kTerms = kFirstOfDocuments + 40;         // V
  static constexpr int kCanaries = 64;
  static constexpr double kClipNorm = 4;

  struct Setting {
    double noise_multiplier;
    double histogram_noise_multiplier;  // 0: no histogram
    int releases;
  };
  // The same iteration of both walls.
  struct Releases {
    const ReceivedRelease& with;
    const ReceivedRelease& without;
    bool replays_are_equal;  // asked for again, both ways: true if it was not
  };

  static absl::StatusOr<std::unique_ptr<NoiseWorld>> Start(ScratchFolder* folder);

  // Reserves one plan in each wall and hands over its releases one after the other; asks for
  // every tenth again.
  absl::Status Observe(const Setting& setting, absl::FunctionRef<void(const Releases&)> use);

  // The projection on a canary's direction, ÷ C.
  static double Project(const ReceivedRelease& release, int canary);
  // Entries (as places in the statistics) that no document and no canary touches, ascending; and
  // those of the documents' terms.
  static const std::vector<int>& EmptyEntries();
  static const std::vector<int>& DocumentEntries();
  // The bin of the norm histogram that canaries are in: the last one.
  static int CanaryBin();

 private:
  NoiseWorld(std::unique_ptr<AuditedWall> with, std::unique_ptr<AuditedWall> without);

  const std::unique_ptr<AuditedWall> with_;
  const std::unique_ptr<AuditedWall> without_;
  const ReleaseQuestion question_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_NOISE_WORLD_H_
