// receipts.pb: the receipts that a fit was given, kept beside its model, and whose they are.
//
//   absl::StatusOr<ReceiptBook> book = ReceiptBook::Open(ReceiptsPath("notes.model"), "");
//   book->Meet(description.signing_key());       // whose receipts these are, from first contact on
//   book->Keep({plan.reservation_receipt()});    // checked, durable, none twice
//
// A book belongs to one custodian: the first signing key it meets is noted, or the one it is
// opened with; any other is refused from then on. It never holds two receipts that contradict
// each other: of one entry of a budget's chain there is one commitment and one head, and the
// second version of either is an error, because then the wall has shown two histories.
//
// What a book is good for: `topicwall ledger --verify` (receipt_audit.h) holds it against the
// wall's chain, now or years later, and finds out if the ledger was put back to an older copy.
//
// The file is written whole and renamed (durable_file.h) before Keep returns, and grows by about
// 1 KB a receipt. One writer at a time: the model folder's lock sees to that, and `may_write` says
// whether its name still leads there. PUBLIC on this side of the wall. Threads: one.
#ifndef TOPICWALL_CLIENT_WALL_RECEIPT_BOOK_H_
#define TOPICWALL_CLIENT_WALL_RECEIPT_BOOK_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "proto/model.pb.h"
#include "proto/receipt.h"

namespace topicwall::client {

std::string ReceiptsPath(const std::string& directory);

// 32 bytes of 64 hexadecimal digits, as `topicwall describe` and `topicwall-admin statement` show
// a custodian's key; empty for an empty text. INVALID_ARGUMENT.
absl::StatusOr<std::string> SigningKeyOfHex(absl::string_view hex);

// A receipts.pb without further checks. NOT_FOUND; INVALID_ARGUMENT if it is none;
// FAILED_PRECONDITION (proto::IsWrittenByNewer) with fields that this program does not know.
absl::StatusOr<v1::ReceiptFile> ReadReceipts(const std::string& path);

// Whose receipts are in the folder, 32 bytes; empty if there are none. Errors as of ReadReceipts.
absl::StatusOr<std::string> NotedKeyOf(const std::string& directory);

class ReceiptBook {
 public:
  // The book at `path`, or an empty one if there is no such file. `signing_key`: the only one to
  // accept (32 bytes), or empty. `may_write`: asked before each write, whose error it may be; may
  // be empty. Errors as of ReadReceipts, but that no file is none; FAILED_PRECONDITION if the book
  // belongs to another; DATA_LOSS, naming the receipt, if one does not hold.
  static absl::StatusOr<ReceiptBook> Open(std::string path, absl::string_view signing_key,
                                          std::function<absl::Status()> may_write = {});

  // What the wall calls its key. FAILED_PRECONDITION if it is none, or not the book's.
  absl::Status Meet(absl::string_view signing_key);

  // DATA_LOSS, with nothing kept, if one of them is not signed by the book's key, does not
  // recompute, or contradicts one that was kept.
  absl::Status Keep(absl::Span<const v1::SignedReceipt> receipts);

  // The terms of a plan whose reservation is in the book; else null.
  const v1::PlanReserved* TermsOf(const std::string& plan_id) const;

  const std::string& signing_key() const { return file_.signing_key(); }
  // Whether what it held when it was opened is of a mock (mock_custodian.h).
  bool is_of_a_mock() const { return is_of_a_mock_; }
  const v1::ReceiptFile& file() const { return file_; }

 private:
  using Place = std::pair<std::string, int64_t>;     // budget, sequence
  using Link = std::pair<std::string, std::string>;  // commitment, head

  ReceiptBook(std::string path, std::function<absl::Status()> may_write)
      : path_(std::move(path)), may_write_(std::move(may_write)) {}
  // True if it is new.
  absl::StatusOr<bool> Enter(const v1::SignedReceipt& receipt);

  std::string path_;
  std::function<absl::Status()> may_write_;
  v1::ReceiptFile file_;
  bool is_of_a_mock_ = false;
  std::map<Place, Link> links_;
  std::map<std::string, v1::PlanReserved> terms_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_RECEIPT_BOOK_H_
