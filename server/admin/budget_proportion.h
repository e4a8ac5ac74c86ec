// Whether an (ε, δ) that is about to be promised for ever is out of all proportion, in words.
//
// A typing error in a budget cannot be taken back once analysts have spent it, so what hardly
// protects anybody is asked about, never refused: the custodian decides. PUBLIC. Pure function.
#ifndef TOPICWALL_SERVER_ADMIN_BUDGET_PROPORTION_H_
#define TOPICWALL_SERVER_ADMIN_BUDGET_PROPORTION_H_

#include <string>

#include "accountant/events/privacy_params.h"
#include "proto/wall_config.pb.h"

namespace topicwall::admin {

inline constexpr double kLargestUsualEpsilon = 10;
// Where the configuration states no nominal size to hold δ against.
inline constexpr double kLargestUsualDelta = 1e-4;

// Whole lines that say what it means, if ε > kLargestUsualEpsilon or δ is above one in the nominal
// size; else empty.
std::string OutOfProportion(const accountant::PrivacyParams& budget,
                            const v1::CorpusConfig& corpus);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_BUDGET_PROPORTION_H_
