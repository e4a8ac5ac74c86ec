#include "accountant/commands/paper_grid.h"

#include <utility>

#include "accountant/accountants.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// The paper's: D = 400,000 documents of Wikipedia, δ = 1e-4 (from its authors' code), one epoch.
constexpr int64_t kDocuments = 400000;
constexpr double kDelta = 1e-4;

struct Contestant {
  std::string label;
  std::string name;
  MomentsAccountant::Options moments;
};

std::vector<Contestant> Contestants() {
  // Two that are held back, by the paper's cap on λ and by 32 orders, beside all as they are.
  std::vector<Contestant> contestants = {
      {.label = "moments-paper-cap", .name = "moments", .moments = {.paper_cap = true}},
      {.label = "moments-32", .name = "moments", .moments = {.max_order = 32}}};
  for (const std::string& name : AccountantNames()) {
    contestants.push_back({.label = name, .name = name, .moments = {}});
  }
  return contestants;
}

}  // namespace

absl::StatusOr<std::vector<PaperPoint>> PaperGrid() {
  std::vector<PaperPoint> points;
  for (const double sigma : {1.0, 1.1, 1.24, 1.5, 2.0}) {
    for (const int64_t batch_size : {5000, 10000, 20000}) {
      const double rate = static_cast<double>(batch_size) / static_cast<double>(kDocuments);
      TW_ASSIGN_OR_RETURN(
          const SubsampledGaussian release,
          SubsampledGaussian::Create({.sampling_rate = rate, .noise_multipliers = {sigma}}));
      PaperPoint point = {.batch_size = batch_size,
                          // One epoch: D/S releases, a whole number for each S of the grid.
                          .plan = {.release = release, .count = kDocuments / batch_size},
                          .delta = kDelta,
                          .prices = {}};
      for (const Contestant& contestant : Contestants()) {
        TW_ASSIGN_OR_RETURN(
            const auto accountant,
            MakeAccountant(contestant.name, {.moments = contestant.moments, .strong = {}}));
        TW_RETURN_IF_ERROR(accountant->Compose(point.plan));
        TW_ASSIGN_OR_RETURN(const EpsilonBracket epsilon, accountant->Epsilon(kDelta));
        point.prices.push_back({.accountant = contestant.label, .epsilon = epsilon});
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace topicwall::accountant
