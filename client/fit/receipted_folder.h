// The folder of a model, locked, and before it a wall whose receipts are kept in it: what
// everything that is paid for begins with.
//
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<ReceiptedFolder> folder,
//                       ReceiptedFolder::Open(std::move(watched), "notes.model", key));
//   Fit(folder->wall(), folder->directory(), spec, hooks);
//   folder->NoteEnd("notes");
//
// Around the wall, from the inside: wall_client.h sends, and sends again; WatchedWall looks at the
// chain before each call that spends; ReceiptedWall keeps the proof of each paid answer. The
// receipts are outermost, so that what is kept is of a ledger that was looked at.
//
// Errors: those of ModelDirectory::Open and ReceiptBook::Open. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_FIT_RECEIPTED_FOLDER_H_
#define TOPICWALL_CLIENT_FIT_RECEIPTED_FOLDER_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/fit/model_directory.h"
#include "client/wall/receipt_book.h"
#include "client/wall/receipted_wall.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

class ReceiptedFolder {
 public:
  // `wall`: watched; `signing_key`: as ReceiptBook::Open.
  static absl::StatusOr<std::unique_ptr<ReceiptedFolder>> Open(std::unique_ptr<WallPort> wall,
                                                               const std::string& path,
                                                               absl::string_view signing_key);

  WallPort& wall() { return receipted_; }
  ModelDirectory& directory() { return *directory_; }

  // How something that is paid for ended. A refusal in the middle of it, after the custodian or the
  // wall has paused the corpus, is told as CheckOpen (fit_quote.h) tells it; all else as it is.
  absl::Status Told(absl::Status end, const std::string& corpus);

  // Notes the ledger with what was paid in it, which is what to remember, and gives the budget as
  // it stands then, held against its chain (client/audit/wall_audit.h). Nothing is lost if the wall
  // went away, or nobody waits for it: no budget then, and no error.
  absl::StatusOr<std::optional<v1::BudgetStatus>> NoteEnd(const std::string& corpus);

 private:
  ReceiptedFolder(std::unique_ptr<WallPort> wall, std::unique_ptr<ModelDirectory> directory,
                  ReceiptBook book);

  const std::unique_ptr<WallPort> watched_;
  const std::unique_ptr<ModelDirectory> directory_;
  ReceiptBook book_;
  ReceiptedWall receipted_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_RECEIPTED_FOLDER_H_
