// heads-PROFILE.pb: the newest head that each chain showed to the owner of a profile.
//
//   HeadBook book(HeadBookPath(profile_path));
//   absl::StatusOr<v1::HeadBook> notes = book.Read();
//   const v1::NotedHead* known = NoteOfCorpus(*notes, "notes");
//   absl::Status status = book.Note(known, newest);       // durable when it returns
//
// A chain cannot be seen from inside to have been put back to an older copy: whoever noted a head
// can. chain_watch.h holds chains against these notes.
//
// The file is replaced whole (durable_file.h, mode 0600), under a lock, and only where the note
// still is the one that the new head was found to continue: of two processes, the second is told
// ABORTED, and looks again. So no newer head is ever lost, and none replaced unseen. Where nothing
// is new the file is only read.
//
// Errors: FAILED_PRECONDITION for a file or a lock that cannot be had, read or written, whatever
// the system says, and UNAVAILABLE for a lock that another process holds: nothing is known against
// a ledger then (IsNoFaultOfALedger). Else as at each. PUBLIC on this side of the wall. Threads:
// one. Cost: two syncs a note; a few hundred bytes a corpus. Corpora that spend from one budget
// have a note each, with the same head.
#ifndef TOPICWALL_CLIENT_AUDIT_HEAD_BOOK_H_
#define TOPICWALL_CLIENT_AUDIT_HEAD_BOOK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kHeadBookFormatVersion = 1;

// Whether a ledger could not be looked at, or not noted: for want of a wall, of a file or of a
// lock. Nothing is known against it then.
bool IsNoFaultOfALedger(const absl::Status& status);

// Beside the profile: …/alice.textproto has …/heads-alice.pb.
std::string HeadBookPath(absl::string_view profile_path);

// Null if there is none. Of several budgets that a corpus had, the one noted last.
const v1::NotedHead* NoteOfBudget(const v1::HeadBook& book, absl::string_view budget_id);
const v1::NotedHead* NoteOfCorpus(const v1::HeadBook& book, absl::string_view corpus);

// DATA_LOSS unless it is signed by the key of `expected`, and says its budget, length and head.
absl::Status CheckSignedHead(const v1::SignedHead& signed_head, const v1::NotedHead& expected);

class HeadBook {
 public:
  explicit HeadBook(std::string path) : path_(std::move(path)) {}

  // No notes if there is no file. INVALID_ARGUMENT for one that is damaged or of another version:
  // notes taken for absent would let a ledger be put back unseen. Damaged is also a note of a place
  // below 1, of what is no head, or with a signed head that does not say the same. With fields that
  // this program does not know FAILED_PRECONDITION (proto::IsWrittenByNewer).
  absl::StatusOr<v1::HeadBook> Read() const;

  // Notes `head` in place of `expected`, which is the note of that budget (null: there is none).
  // ABORTED if that was changed meanwhile.
  absl::Status Note(const v1::NotedHead* expected, const v1::NotedHead& head);

  // Notes `head` and forgets what else was noted of its corpus, and what was of its budget.
  absl::Status Accept(const v1::NotedHead& head);

  // Forgets what was noted of a corpus.
  absl::Status Forget(absl::string_view corpus);

 private:
  absl::Status Write(const v1::HeadBook& book) const;

  const std::string path_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_HEAD_BOOK_H_
