// A book is the list of receipts as they came, and an index of what they say of the chains: at each
// place, (budget, sequence), one commitment and one head. Only Enter writes to either, for a
// receipt that arrives as for one that is read from the file. So a file that was edited, or put
// together from those of two histories, is found out when it is opened, by the same rules.
#include "client/wall/receipt_book.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/ed25519.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "client/wall/mock_custodian.h"
#include "proto/ledger.pb.h"
#include "proto/receipt.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

// A thousand iterations of two receipts with a hundred orders are 3 MB.
constexpr int64_t kMaxReceiptFileBytes = int64_t{1} << 30;

absl::Status AnotherKey(absl::string_view path, absl::string_view known, absl::string_view met) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the custodian's key must be ", base::Hex(known), "; got ", base::Hex(met),
      ". A custodian's key never changes: ask the custodian, by "
      "another way than this wall, which is right. If the new one is, or the wall is another "
      "custodian's, use another --model: of a model that is there, copy model.pb alone into a new "
      "folder; ",
      path, " stays proof of the old one."));
}

absl::Status OfAMock(absl::string_view path) {
  return absl::FailedPreconditionError(
      absl::StrCat(path,
                   " is of a MOCK: all in its folder is of documents that do not exist. "
                   "Remove the folder, or choose another one."));
}

// Of what nobody has checked: good for an error alone.
bool IsOfAMock(const v1::ReceiptFile& file) {
  v1::Receipt receipt;
  return file.receipts_size() > 0 && receipt.ParseFromString(file.receipts(0).receipt()) &&
         IsMock(receipt.custodian_id());
}

}  // namespace

std::string ReceiptsPath(const std::string& directory) { return directory + "/receipts.pb"; }

absl::StatusOr<std::string> SigningKeyOfHex(absl::string_view hex) {
  if (hex.empty()) return std::string();
  std::optional<std::string> key = base::BytesOfHex(hex, base::kSigningKeySize);
  if (key.has_value()) return *std::move(key);
  return absl::InvalidArgumentError(
      absl::StrCat("custodian_key must be 64 hexadecimal digits; got \"", hex, "\"."));
}

absl::StatusOr<v1::ReceiptFile> ReadReceipts(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(path, kMaxReceiptFileBytes));
  v1::ReceiptFile file;
  const proto::Reading reading = proto::ReadStrictly(bytes, &file);
  if (reading == proto::Reading::kUnreadable ||
      file.format_version() != proto::kReceiptFileFormat) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is no file of receipts, or was written by another version."));
  }
  // A book writes the file anew with each receipt, and what it does not know would be lost.
  if (reading == proto::Reading::kSaysMore) return proto::WrittenByNewer(path);
  return file;
}

absl::StatusOr<std::string> NotedKeyOf(const std::string& directory) {
  const absl::StatusOr<v1::ReceiptFile> file = ReadReceipts(ReceiptsPath(directory));
  if (absl::IsNotFound(file.status())) return std::string();
  TW_RETURN_IF_ERROR(file.status());
  return file->signing_key();
}

// The key comes before the receipts: under a wrong one each of them would look forged, and the
// message would accuse the custodian of what was only a wrong flag.
absl::StatusOr<ReceiptBook> ReceiptBook::Open(std::string path, absl::string_view signing_key,
                                              std::function<absl::Status()> may_write) {
  ReceiptBook book(std::move(path), std::move(may_write));
  absl::StatusOr<v1::ReceiptFile> file = ReadReceipts(book.path_);
  if (absl::IsNotFound(file.status())) file = v1::ReceiptFile();
  TW_RETURN_IF_ERROR(file.status());
  book.file_.set_format_version(proto::kReceiptFileFormat);
  book.file_.set_signing_key(file->signing_key());
  book.is_of_a_mock_ = IsOfAMock(*file);
  if (!signing_key.empty()) {
    TW_RETURN_IF_ERROR(book.Meet(signing_key));
  }
  for (const v1::SignedReceipt& receipt : file->receipts()) {
    TW_RETURN_IF_ERROR(book.Enter(receipt).status());
  }
  return book;
}

absl::Status ReceiptBook::Meet(absl::string_view signing_key) {
  if (signing_key.size() != base::kSigningKeySize) {
    return absl::FailedPreconditionError(
        "the wall names no signing key: it gives no receipts. Ask the custodian to bring its "
        "server up to date.");
  }
  // Trust on first use. Nothing is written yet: the key becomes durable with the first receipt, and
  // before that there is nothing that another key could contradict.
  if (file_.signing_key().empty()) file_.set_signing_key(std::string(signing_key));
  if (file_.signing_key() == signing_key) return absl::OkStatus();
  if (is_of_a_mock_) return OfAMock(path_);
  return AnotherKey(path_, file_.signing_key(), signing_key);
}

absl::StatusOr<bool> ReceiptBook::Enter(const v1::SignedReceipt& receipt) {
  TW_ASSIGN_OR_RETURN(const proto::OpenedReceipt opened,
                      proto::OpenReceipt(receipt, file_.signing_key()));
  // A ledger that was forked, or put back and gone on with, gives some sequence number a second
  // time. Whoever was given receipts of both sees it here, years later as well. The commitment
  // alone would not do: two histories may agree in one entry and differ before it, which only the
  // head tells.
  const v1::LedgerEntry& entry = opened.receipt.entry();
  const Link link(entry.commitment(), entry.head());
  const auto [place, is_new] =
      links_.try_emplace(Place(opened.event.budget_id(), entry.sequence()), link);
  if (place->second != link) {
    return absl::DataLossError(absl::StrCat(
        "entry ", entry.sequence(), " of the ledger (", proto::DescribeAct(opened.event),
        ") was another one before: two histories are being shown. Keep ", path_,
        " and ask the custodian."));
  }
  // The same receipt comes again with every retry and every look at a plan.
  if (!is_new) return false;
  if (opened.event.has_plan_reserved()) {
    terms_[opened.event.plan_reserved().plan_id()] = opened.event.plan_reserved();
  }
  *file_.add_receipts() = receipt;
  return true;
}

absl::Status ReceiptBook::Keep(absl::Span<const v1::SignedReceipt> receipts) {
  // On a copy: if the second receipt of an answer fails, the first is not kept either. And the file
  // before the memory, so that what this object believes to be kept is on the disk.
  ReceiptBook with = *this;
  bool changed = false;
  for (const v1::SignedReceipt& receipt : receipts) {
    TW_ASSIGN_OR_RETURN(const bool is_new, with.Enter(receipt));
    changed = changed || is_new;
  }
  if (!changed) return absl::OkStatus();
  if (may_write_) TW_RETURN_IF_ERROR(may_write_());
  TW_RETURN_IF_ERROR(base::ReplaceFileDurably(path_, with.file_.SerializeAsString()));
  *this = std::move(with);
  return absl::OkStatus();
}

const v1::PlanReserved* ReceiptBook::TermsOf(const std::string& plan_id) const {
  const auto terms = terms_.find(plan_id);
  return terms == terms_.end() ? nullptr : &terms->second;
}

}  // namespace topicwall::client
