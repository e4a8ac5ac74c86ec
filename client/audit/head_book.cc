// A compare-and-swap on a file. Whoever notes a head says which note it was found to continue, and
// under the lock that must still be the one in the file. Without that, a process that read the
// chain early and writes late would put an older head over a newer one, and the entries between the
// two could be taken back unseen.
#include "client/audit/head_book.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/exit_code.h"
#include "client/wall/file_lock.h"
#include "proto/ledger_chain.h"
#include "proto/signed_head.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

// Some hundred thousand budgets.
constexpr int64_t kMaxHeadBookBytes = int64_t{1} << 26;

bool IsSame(const v1::NotedHead* a, const v1::NotedHead* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->sequence() == b->sequence() && a->head() == b->head();
}

// Most looks find nothing new, and a write is two syncs. A signature where there was none is new.
bool SaysNothingNew(const v1::NotedHead& noted, const v1::NotedHead& head) {
  return IsSame(&noted, &head) && noted.corpus() == head.corpus() &&
         noted.corpus_version() == head.corpus_version() &&
         noted.signing_key() == head.signing_key() &&
         (noted.has_signed_head() || !head.has_signed_head());
}

// The head of a budget for every corpus that was seen to spend from it: each keeps its name and
// version, and since when it is noted. Were a budget noted under one name alone, another budget of
// the other corpora's documents would be taken for a first contact.
// What is noted last is the newest of its corpus (NoteOfCorpus), also where the clock was ahead
// once.
void SetHead(v1::NotedHead head, v1::HeadBook* book) {
  for (const v1::NotedHead& note : book->heads()) {
    if (note.corpus() != head.corpus() || note.budget_id() == head.budget_id()) continue;
    head.set_noted_at_ms(std::max(head.noted_at_ms(), note.noted_at_ms() + 1));
  }
  bool has_corpus = false;
  for (v1::NotedHead& note : *book->mutable_heads()) {
    if (note.budget_id() != head.budget_id()) continue;
    const v1::NotedHead before = note;
    note = head;
    if (before.corpus() == head.corpus()) {
      has_corpus = true;
      continue;
    }
    note.set_corpus(before.corpus());
    note.set_corpus_version(before.corpus_version());
    note.set_noted_at_ms(before.noted_at_ms());
  }
  if (!has_corpus) *book->add_heads() = head;
}

const v1::NotedHead* NoteOf(const v1::HeadBook& book, const v1::NotedHead& head) {
  for (const v1::NotedHead& note : book.heads()) {
    if (note.budget_id() == head.budget_id() && note.corpus() == head.corpus()) return &note;
  }
  return nullptr;
}

v1::HeadBook Without(absl::string_view corpus, const v1::HeadBook& book) {
  v1::HeadBook kept;
  for (const v1::NotedHead& note : book.heads()) {
    if (note.corpus() != corpus) *kept.add_heads() = note;
  }
  return kept;
}

// A place that a chain can have, for whoever looks there, and a signature that is one: it is called
// proof of the note.
bool CanHaveBeenShown(const v1::NotedHead& note) {
  return note.sequence() >= 1 && note.head().size() == proto::kHashSize &&
         (!note.has_signed_head() || CheckSignedHead(note.signed_head(), note).ok());
}

constexpr char kOfNotesTypeUrl[] = "topicwall/of-notes";

// Only a lock that another process holds passes by itself.
absl::Status OfNotes(absl::string_view text, const absl::Status& why) {
  const std::string said =
      absl::StrCat(text, ": ", why.message(), ". Nothing is known against a ledger.");
  absl::Status status =
      absl::IsUnavailable(why)
          ? absl::UnavailableError(said)
          : absl::FailedPreconditionError(
                absl::StrCat(said,
                             " The profile must stand in a folder that can be written to, on a "
                             "disk with room and a file system with locks: put it there."));
  status.SetPayload(kOfNotesTypeUrl, absl::Cord());
  return status;
}

absl::Status CannotNote(const std::string& path, const absl::Status& why) {
  return OfNotes(absl::StrCat("cannot note in ", path, " what the ledger showed"), why);
}

absl::StatusOr<FileLock> TakeLock(const std::string& path) {
  absl::StatusOr<FileLock> lock = FileLock::Take(path);
  if (!lock.ok()) return CannotNote(path, lock.status());
  return lock;
}

}  // namespace

bool IsNoFaultOfALedger(const absl::Status& status) {
  return ExitCodeOf(status) == ExitCode::kUnavailable ||
         status.GetPayload(kOfNotesTypeUrl).has_value();
}

std::string HeadBookPath(absl::string_view profile_path) {
  const size_t slash = profile_path.rfind('/');
  const size_t name = slash == absl::string_view::npos ? 0 : slash + 1;
  return absl::StrCat(profile_path.substr(0, name), "heads-",
                      absl::StripSuffix(profile_path.substr(name), ".textproto"), ".pb");
}

const v1::NotedHead* NoteOfBudget(const v1::HeadBook& book, absl::string_view budget_id) {
  for (const v1::NotedHead& note : book.heads()) {
    if (note.budget_id() == budget_id) return &note;
  }
  return nullptr;
}

// A corpus has another budget with each version: the one seen last is the one to go on from.
const v1::NotedHead* NoteOfCorpus(const v1::HeadBook& book, absl::string_view corpus) {
  const v1::NotedHead* newest = nullptr;
  for (const v1::NotedHead& note : book.heads()) {
    if (note.corpus() != corpus) continue;
    if (newest == nullptr || note.noted_at_ms() >= newest->noted_at_ms()) newest = &note;
  }
  return newest;
}

absl::Status CheckSignedHead(const v1::SignedHead& signed_head, const v1::NotedHead& expected) {
  TW_ASSIGN_OR_RETURN(const v1::HeadStatement statement,
                      proto::OpenSignedHead(signed_head, expected.signing_key()));
  if (statement.budget_id() == expected.budget_id() &&
      statement.sequence() == expected.sequence() && statement.head() == expected.head()) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(
      "the head that the custodian signed is not the one that was shown: it says entry ",
      statement.sequence(), ", head ", absl::BytesToHexString(statement.head()),
      ", shown was entry ", expected.sequence(), ", head ", absl::BytesToHexString(expected.head()),
      ". Keep both and ask the custodian."));
}

absl::StatusOr<v1::HeadBook> HeadBook::Read() const {
  const absl::StatusOr<std::string> bytes = base::ReadWholeFile(path_, kMaxHeadBookBytes);
  // Only this. A file that cannot be read just now must not pass for a first contact.
  if (absl::IsNotFound(bytes.status())) return v1::HeadBook();
  // A file that this is not, and no other try makes it one.
  if (absl::IsInvalidArgument(bytes.status())) return bytes.status();
  if (!bytes.ok()) return OfNotes("cannot read what was noted of the ledgers", bytes.status());
  v1::HeadBook book;
  const proto::Reading reading = proto::ReadStrictly(*bytes, &book);
  if (reading == proto::Reading::kUnreadable || book.format_version() != kHeadBookFormatVersion ||
      !std::all_of(book.heads().begin(), book.heads().end(), CanHaveBeenShown)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path_,
        " holds the heads that were noted of each ledger, and is damaged or was written by "
        "another version. Put back a copy of it; if there is none, move it away: what was "
        "noted is then forgotten."));
  }
  // It is written anew with each note, and what is not known would be lost with the first.
  if (reading == proto::Reading::kSaysMore) return proto::WrittenByNewer(path_);
  return book;
}

absl::Status HeadBook::Write(const v1::HeadBook& book) const {
  v1::HeadBook written = book;
  written.set_format_version(kHeadBookFormatVersion);
  const absl::Status status = base::ReplaceFileDurably(path_, written.SerializeAsString(), 0600);
  return status.ok() ? status : CannotNote(path_, status);
}

absl::Status HeadBook::Note(const v1::NotedHead* expected, const v1::NotedHead& head) {
  // Without the lock, which a profile that may only be read does not give: the file is replaced
  // whole, and what is in it now is all that is asked.
  TW_ASSIGN_OR_RETURN(const v1::HeadBook seen, Read());
  const v1::NotedHead* same = NoteOf(seen, head);
  if (IsSame(NoteOfBudget(seen, head.budget_id()), expected) && same != nullptr &&
      SaysNothingNew(*same, head)) {
    return absl::OkStatus();
  }
  TW_ASSIGN_OR_RETURN(const FileLock lock, TakeLock(path_));
  TW_ASSIGN_OR_RETURN(v1::HeadBook book, Read());
  if (!IsSame(NoteOfBudget(book, head.budget_id()), expected)) {
    return absl::AbortedError(absl::StrCat(path_, " was changed by another process."));
  }
  SetHead(head, &book);
  return Write(book);
}

// Both are compared with nothing: to forget what was noted is what was asked for (`topicwall watch
// --accept`).
absl::Status HeadBook::Accept(const v1::NotedHead& head) {
  TW_ASSIGN_OR_RETURN(const FileLock lock, TakeLock(path_));
  TW_ASSIGN_OR_RETURN(const v1::HeadBook book, Read());
  v1::HeadBook kept = Without(head.corpus(), book);
  SetHead(head, &kept);
  return Write(kept);
}

absl::Status HeadBook::Forget(absl::string_view corpus) {
  TW_ASSIGN_OR_RETURN(const FileLock lock, TakeLock(path_));
  TW_ASSIGN_OR_RETURN(const v1::HeadBook book, Read());
  return Write(Without(corpus, book));
}

}  // namespace topicwall::client
