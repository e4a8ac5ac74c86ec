// Bounds what one privacy unit can change: scales its statistic to an integer vector whose
// L2 norm is at most M, in integers, with nothing left to rounding.
//
//   absl::StatusOr<UnitClipper> clipper = UnitClipper::Create(
//       {.num_topics = 50, .vocabulary_size = 8000, .clip_norm = 4, .term_weights = {},
//        .noise_multiplier = 6.3});
//   ClippedUnit clipped;                       // one per thread, reused
//   if (clipper->Clip(statistic, &clipped)) …  // else the unit contributes nothing
//
// With x_kv the statistic, w_v the weights and norm = ‖x_kv w_v‖ over the whole unit:
//
//   t_kv = x_kv w_v M / max(norm, C),   q_kv = ⌊t_kv⌋,   M = LatticeBound(σ).
//
// The whole unit is dropped unless 0 <= t < 2M for every entry (NaN, infinite and negative
// entries fail that), its terms are strictly ascending below V, its topics are strictly
// ascending below K and there is one entry for each pair: no entry of x is there twice, and
// those that are not there are 0. Then Σ q² <= M² is *checked* in integers; if rounding broke
// it, t is shrunk by 2^-40, 2^-39, … until it holds.
//
// Claim: for every input, Clip returns false or a q with q >= 0 and Σ q² <= M². That is the
// whole sensitivity argument: it trusts no floating-point operation. Proof: q is unsigned, and
// clip_kernel.h gives a Σ q² that is exact for every q that it calls in range, from the bits of
// q alone; Clip returns true only after comparing that sum with M², both in 128 bits. □
// The bits of q are the same on every processor (clip_kernel.h), and for w = 1 and w = none.
// The clip is per unit. (Park et al. project the sum of a batch instead, which has
// sensitivity up to √2 times the radius: tests/server/mechanism/unit_clipper_test.cc.)
//
// Shapes: values = terms × topics of the statistic, in its order.
// Privacy: everything but the parameters is PRIVATE, also whether a unit was dropped.
// Threads: const methods from many threads at once.
// Cost: about 1 ns an entry.
#ifndef TOPICWALL_SERVER_MECHANISM_UNIT_CLIPPER_H_
#define TOPICWALL_SERVER_MECHANISM_UNIT_CLIPPER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/topics/sufficient_statistics.h"
#include "server/mechanism/clip_kernel.h"

namespace topicwall::mechanism {

// PRIVATE. Buffers are reused from unit to unit.
struct ClippedUnit {
  std::vector<uint64_t> values;  // q: terms × topics
  double weighted_norm = 0;      // ‖x_kv w_v‖ before clipping, in words; finite
  // Scratch.
  std::vector<float> rows;       // if the unit has several documents
  std::vector<double> weighted;  // x_kv w_v, if terms have weights

  // Takes and touches all that units of up to so many entries need.
  void Reserve(std::size_t entries, bool several_documents, bool has_weights) {
    values.resize(entries);
    if (several_documents) rows.resize(entries);
    if (has_weights) weighted.resize(entries);
  }
  static std::size_t BytesReserved(std::size_t entries, bool several_documents, bool has_weights) {
    return entries * (sizeof(uint64_t) + (several_documents ? sizeof(float) : 0) +
                      (has_weights ? sizeof(double) : 0));
  }
};

class UnitClipper {
 public:
  struct Params {
    int num_topics;                   // K
    int64_t vocabulary_size;          // V
    double clip_norm;                 // C, in words
    std::vector<float> term_weights;  // w: V of them, or empty = all 1
    double noise_multiplier;          // σ
  };

  // INVALID_ARGUMENT outside the ranges of mechanism_limits.h. The kernel changes no bit.
  static absl::StatusOr<UnitClipper> Create(Params params,
                                            const ClipKernel& kernel = ChosenClipKernel());

  // False = dropped; *clipped is then meaningless.
  bool Clip(const lda::UnitStatistic& statistic, ClippedUnit* clipped) const;

  // The same for entries that no E-step made: terms × topics of them, row = term.
  struct Entries {
    absl::Span<const uint32_t> terms;
    absl::Span<const uint32_t> topics;
    absl::Span<const float> values;
  };
  bool ClipEntries(const Entries& unit, ClippedUnit* clipped) const;

  const Params& params() const { return params_; }
  uint64_t lattice_bound() const { return lattice_bound_; }  // M
  double weight(uint32_t term) const {
    return params_.term_weights.empty() ? 1.0 : static_cast<double>(params_.term_weights[term]);
  }

 private:
  UnitClipper(Params params, uint64_t lattice_bound, const ClipKernel& kernel)
      : params_(std::move(params)), lattice_bound_(lattice_bound), kernel_(&kernel) {}

  bool HasRightShape(const Entries& unit) const;
  void Weigh(const Entries& unit, std::vector<double>* weighted) const;
  template <typename Real>
  bool ClipRun(const RunKernel<Real>& kernel, absl::Span<const Real> run,
               ClippedUnit* clipped) const;

  Params params_;
  uint64_t lattice_bound_;
  const ClipKernel* kernel_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_UNIT_CLIPPER_H_
