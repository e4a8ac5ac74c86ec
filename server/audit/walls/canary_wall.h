// A wall whose units say who they are, and its releases: what the statistics of noise and sampling
// are made from.
//
//   TW_ASSIGN_OR_RETURN(auto wall, CanaryWall::Start(attack, kSmallShape));
//   wall->Observe({.noise_multiplier = 1, .releases = 100},
//                 [&](const CanaryWall::Seen& seen) { … });
//
// Each unit is a canary: a document of 500 times one word that nobody else has, which occurs in one
// topic alone, term v in topic v mod K. At clip norm C it adds a vector of length C to the one
// entry that is its own; all other entries are noise alone. So a release, divided by C, is N(1, σ²)
// where a unit takes part and N(0, σ²) elsewhere, and each unit of each release is a trial of its
// own: a release tells all that two neighbouring corpora would.
//
// Threads: one at a time. Cost: some 30 ms a release; at K = 100 and V = 50,000 2 s and 200 MB.
#ifndef TOPICWALL_SERVER_AUDIT_WALLS_CANARY_WALL_H_
#define TOPICWALL_SERVER_AUDIT_WALLS_CANARY_WALL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "server/audit/attack.h"
#include "server/audit/walls/audited_wall.h"
#include "server/mechanism/noise_mechanism.h"

namespace topicwall::audit {

struct CanaryShape {
  std::size_t topics;  // K
  std::size_t terms;   // V
  std::size_t units;   // of terms 0 … units - 1

  // Whether the entry, counted term by term, is a unit's own.
  bool IsOfUnit(std::size_t entry) const {
    return entry / topics < units && entry / topics % topics == entry % topics;
  }
  std::size_t EntryOf(std::size_t unit) const { return unit * topics + unit % topics; }
};
// Noise comes in blocks: these are three and a part. More than the wall has threads, so that a
// stream of each thread's own is a stream that two blocks share, whichever thread is faster.
inline constexpr CanaryShape kSmallShape = {
    .topics = 4, .terms = 3 * mechanism::kEntriesPerNoiseBlock / 4 + 40, .units = 512};
// A model in use.
inline constexpr CanaryShape kLargeShape = {.topics = 100, .terms = 50'000, .units = 50'000};

class CanaryWall {
 public:
  static constexpr double kClipNorm = 4;  // C

  struct Setting {
    double sampling_rate = 1;
    double noise_multiplier;
    double histogram_noise_multiplier = 0;  // 0: no histogram
    int releases;
  };
  struct Seen {
    std::vector<float> by_term;    // statistics ÷ C, counted term by term, as noise is drawn
    std::vector<float> histogram;  // units' norms are all in the last bin
    bool is_repeatable = true;     // asked for again, both ways; true if it was not
  };

  static absl::StatusOr<std::unique_ptr<CanaryWall>> Start(Attack& attack,
                                                           const CanaryShape& shape);

  // Reserves a plan and hands over its releases one after the other; asks for every tenth again.
  absl::Status Observe(const Setting& setting, absl::FunctionRef<void(const Seen&)> use);

 private:
  CanaryWall(Attack& attack, const CanaryShape& shape, std::unique_ptr<AuditedWall> wall);

  Attack& attack_;
  const CanaryShape shape_;
  const std::unique_ptr<AuditedWall> wall_;
  ReleaseQuestion question_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_WALLS_CANARY_WALL_H_
