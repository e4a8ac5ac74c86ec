// The 15 settings of the paper's figure under every accountant.
//
// D = 400,000 documents, one epoch: mini-batches of S ∈ {5,000, 10,000, 20,000}, ν = S/D, D/S
// releases, σ ∈ {1, 1.1, 1.24, 1.5, 2}, δ = 1e-4. The paper prints ε = 2.44 for σ = 1.24,
// S = 20,000: "moments-paper-cap" (2.4411). PUBLIC. Cost: about 15 prices of each accountant.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_PAPER_GRID_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_PAPER_GRID_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/accountants/privacy_accountant.h"
#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

struct NamedPrice {
  std::string accountant;  // a name of AccountantNames(), or moments-paper-cap, moments-32
  EpsilonBracket epsilon;
};

struct PaperPoint {
  int64_t batch_size;  // S
  DpEvent plan;
  double delta;
  std::vector<NamedPrice> prices;  // moments-paper-cap and moments-32 first
};

// Sorted by σ, then by S.
absl::StatusOr<std::vector<PaperPoint>> PaperGrid();

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_PAPER_GRID_H_
