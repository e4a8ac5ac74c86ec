#include "client/commands/audit/noted_prices.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/chain_replay.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/lengths_file.h"
#include "client/evaluate/prevalence_file.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"

namespace topicwall::client {
namespace {

template <typename File>
absl::Status AddPrices(const std::string& folder, const std::string& name,
                       absl::StatusOr<std::optional<File>> (*read)(const std::string& path),
                       std::vector<NotedPrice>& prices) {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBeside(folder, name));
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(const std::optional<File> file, read(path));
    if (!file.has_value()) continue;
    prices.push_back({.what = path,
                      .plan_ids = {file->plan().plan_id()},
                      .epsilon = file->epsilon(),
                      .delta = file->delta(),
                      .sum = file->sum()});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> PriceFindings(const std::string& folder,
                                                       absl::Span<const v1::LedgerEntry> chain) {
  std::vector<NotedPrice> prices;
  const absl::StatusOr<v1::ModelFile> model = ReadModelSoFar(folder);
  // A fit that has said nothing yet, and a folder of other questions, have receipts all the same.
  if (!absl::IsNotFound(model.status()) && !absl::IsFailedPrecondition(model.status())) {
    TW_RETURN_IF_ERROR(model.status());
    prices.push_back(NotedPriceOf(*model));
  }
  TW_RETURN_IF_ERROR(AddPrices(folder, "evaluation", ReadEvaluation, prices));
  TW_RETURN_IF_ERROR(AddPrices(folder, "prevalence", ReadPrevalence, prices));
  TW_RETURN_IF_ERROR(AddPrices(folder, "lengths", ReadLengths, prices));
  ChainReplay replay;
  for (const v1::LedgerEntry& entry : chain) TW_RETURN_IF_ERROR(replay.Take(entry));
  std::vector<std::string> findings;
  for (const NotedPrice& price : prices) {
    if (replay.empty()) break;
    std::string difference = DifferenceOf(price, replay);
    if (!difference.empty()) findings.push_back(std::move(difference));
  }
  return findings;
}

}  // namespace topicwall::client
