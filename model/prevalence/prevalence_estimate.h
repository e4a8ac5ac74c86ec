// What releases say of prevalence: of each group, how many documents it has and how much of them is
// about each topic, with errors.
//
//   TW_ASSIGN_OR_RETURN(PrevalenceSums sums, SumsOfReleases(…));        // prevalence_sums.h
//   for (const GroupPrevalence& group : EstimatePrevalence(sums)) {
//     group.documents;                        // ± group.documents_error
//     if (group.none) continue;               // nothing can be said of its topics
//     group.topics[k].share;                  // >= 0, Σ = 1
//     group.topics[k].interval;               // 95 %, this one
//     group.topics[k].simultaneous;           // 95 %, all of all groups together
//   }
//
// Counts and sums are made consistent, and intervals are Fieller's, as noisy_share.h says. A share
// is the projection of `unprojected` onto what shares can be (simplex.h). Error and intervals are
// of `unprojected`, which is s/n as it was found; where much was projected, of many topics in a
// small group, a share may lie outside of its own interval.
//
// `none`: n is not above 1.96 deviations of its noise. That is where the 95 % interval of any ratio
// with n becomes unbounded: what is divided by may be 0. Intervals are [0, 1], and share,
// unprojected and standard_error are NaN, which no chart draws. Documents and their interval stand.
//
// Simultaneous intervals are of the level that Šidák's inequality asks of K·G of them. It holds for
// any correlation, so they are exact at ν = 1; those of counts are not among them. To be shown
// fewer, narrower ones, merge first.
//
// Intervals cover 95 % at any size without sampling, and more where they are cut to [0, 1]. With
// ν < 1 they cover at least 95 %, nearly: κ·n takes n as it was found.
//
// PUBLIC: post-processing of releases. Pure. Errors: none. Cost: O(G·K log K).
#ifndef TOPICWALL_MODEL_PREVALENCE_PREVALENCE_ESTIMATE_H_
#define TOPICWALL_MODEL_PREVALENCE_PREVALENCE_ESTIMATE_H_

#include <vector>

#include "model/prevalence/noisy_share.h"
#include "model/prevalence/prevalence_sums.h"

namespace topicwall::prevalence {

struct TopicPrevalence {
  double share;
  double unprojected;  // may be outside of [0, 1]
  double standard_error;
  Interval interval;      // within [0, 1]
  Interval simultaneous;  // within [0, 1], wider
};

struct GroupPrevalence {
  double documents;             // of either sign: those of groups add up to that of all
  double documents_error;       // standard error
  Interval documents_interval;  // 95 %, >= 0
  bool none;
  std::vector<TopicPrevalence> topics;  // K
};

// One for each group.
std::vector<GroupPrevalence> EstimatePrevalence(const PrevalenceSums& sums);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_PREVALENCE_ESTIMATE_H_
