#include "client/fit/receipted_folder.h"

#include <utility>

#include "base/status_macros.h"
#include "client/audit/head_book.h"
#include "client/audit/wall_audit.h"
#include "client/fit/fit_quote.h"

namespace topicwall::client {
namespace {

absl::StatusOr<v1::BudgetStatus> BudgetOf(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(corpus));
  return HeldBudget(wall, corpus, description);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReceiptedFolder>> ReceiptedFolder::Open(
    std::unique_ptr<WallPort> wall, const std::string& path, absl::string_view signing_key) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<ModelDirectory> directory, ModelDirectory::Open(path));
  // The folder is locked by now: two writers of a book would each lose the other's receipts.
  TW_ASSIGN_OR_RETURN(ReceiptBook book,
                      ReceiptBook::Open(ReceiptsPath(path), signing_key,
                                        [&at = *directory] { return at.CheckInPlace(); }));
  return std::unique_ptr<ReceiptedFolder>(
      new ReceiptedFolder(std::move(wall), std::move(directory), std::move(book)));
}

ReceiptedFolder::ReceiptedFolder(std::unique_ptr<WallPort> wall,
                                 std::unique_ptr<ModelDirectory> directory, ReceiptBook book)
    : watched_(std::move(wall)),
      directory_(std::move(directory)),
      book_(std::move(book)),
      receipted_(*watched_, book_) {}

absl::Status ReceiptedFolder::Told(absl::Status end, const std::string& corpus) {
  // Only then can a pause be the reason, and only then is it worth a call to ask.
  if (!absl::IsFailedPrecondition(end)) return end;
  const absl::StatusOr<v1::CorpusDescription> description = wall().DescribeCorpus(corpus);
  if (!description.ok()) return end;
  absl::Status state = CheckOpen(*description);
  return state.ok() ? end : state;
}

absl::StatusOr<std::optional<v1::BudgetStatus>> ReceiptedFolder::NoteEnd(
    const std::string& corpus) {
  const absl::StatusOr<v1::BudgetStatus> budget = BudgetOf(wall(), corpus);
  // The fit is done and paid for: that its last note fails must not make it look failed.
  if (IsNoFaultOfALedger(budget.status()) || absl::IsCancelled(budget.status())) {
    return std::nullopt;
  }
  TW_RETURN_IF_ERROR(budget.status());
  return *budget;
}

}  // namespace topicwall::client
