// What is noted of a chain is one entry, its number and its head. A head binds every entry before
// it, so a chain that still has that head at that number has all that was ever seen, and only what
// stands behind it need be fetched and hashed (GoOn). A chain that does not is read from its first
// entry (Meet): it may be a new version's, with a new budget, which is told and noted; or one that
// was put back or forked, which is refused.
//
// One look: read the notes, before the wall is asked; ask; compare; note the new head if the note
// still is the one that was compared with. If another process noted something meanwhile, look
// again. What the earlier looks saw stays in `seen`: all looks of a call must be of one history,
// also those that were never noted, or a wall could show each process its own.
#include "client/audit/chain_watch.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/name.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/restores.h"
#include "proto/ledger_chain.h"

namespace topicwall::client {
namespace {

// Other processes of the same profile may note a head while this one looks.
constexpr int kMostLooks = 8;
// The wall dates a restore, and the analyst a note.
constexpr int64_t kClocksDifferByMs = int64_t{10} * 60 * 1000;

using Entries = std::vector<v1::LedgerEntry>;
using Seen = std::vector<v1::NotedHead>;

// Nothing of `entries` is verified yet, so the numbers in it are compared, and not only places.
bool Holds(const Entries& entries, const v1::NotedHead& note) {
  // And a first number that is none could make their difference overflow.
  if (entries.empty() || entries.front().sequence() < 1) return false;
  if (note.sequence() < entries.front().sequence()) return false;
  const auto place = static_cast<size_t>(note.sequence() - entries.front().sequence());
  return place < entries.size() && entries[place].sequence() == note.sequence() &&
         entries[place].head() == note.head();
}

absl::Status Broken(absl::string_view corpus, const v1::NotedHead& note, absl::string_view shown) {
  return absl::DataLossError(absl::StrCat(
      "the ledger of ", corpus, " does not go on from what it showed before. Noted: ",
      DescribeNote(note), ", budget ", note.budget_id(),
      note.has_signed_head() ? "; the custodian signed that head, which is proof of it" : "",
      ". The wall now shows ", shown,
      ". Your note and your receipts stay what they were. Ask the custodian, by another way than "
      "this wall, and compare with auditors' exports and with your receipts (topicwall ledger ",
      corpus, " --verify MODEL). Once it is explained, `topicwall watch ", corpus,
      " --accept` goes on from what the wall shows."));
}

// Its head is noted under the name, which stands in commands that are shown, and in those of files.
absl::StatusOr<v1::CorpusDescription> Describe(WallPort& wall, absl::string_view corpus) {
  if (!base::IsName(corpus)) {
    return absl::InvalidArgumentError(
        absl::StrCat("corpus must be ", base::kNameRule, "; got \"", corpus,
                     "\". Check its spelling, or ask the custodian."));
  }
  return wall.DescribeCorpus(corpus);
}

// A budget's key, as described, against what is known of it. `note` may be null.
absl::Status CheckKey(const WatchedChain& chain, const v1::CorpusDescription& description,
                      const v1::NotedHead* note) {
  const std::string& met = description.signing_key();
  // A key that the profile pins came from the custodian by another way, and wins over the noted
  // one.
  const std::string& known =
      chain.signing_key.empty() && note != nullptr ? note->signing_key() : chain.signing_key;
  if (known.empty() || known == met) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the custodian's key must be ", absl::BytesToHexString(known), "; ", description.corpus(),
      " is signed with ", met.empty() ? "none" : absl::BytesToHexString(met),
      ". A custodian's key never changes: ask the custodian, by another way than this wall, which "
      "is right."));
}

// The chain up to its end, behind what `verifier` has seen. Its head, with whatever is to be noted.
absl::StatusOr<v1::NotedHead> Follow(const v1::CorpusDescription& description,
                                     absl::Span<const v1::LedgerEntry> entries,
                                     proto::ChainVerifier verifier) {
  for (const v1::LedgerEntry& entry : entries) TW_RETURN_IF_ERROR(verifier.Add(entry));
  v1::NotedHead head;
  head.set_corpus(description.corpus());
  head.set_corpus_version(description.corpus_version());
  head.set_budget_id(verifier.budget_id());
  head.set_signing_key(description.signing_key());
  head.set_sequence(verifier.length());
  head.set_head(verifier.head());
  head.set_noted_at_ms(absl::ToUnixMillis(absl::Now()));
  return head;
}

// Proof beyond one's own word, where it came: the custodian cannot disown a head that it signed.
absl::Status KeepSignedHead(const v1::LedgerEntry& last, v1::NotedHead& head) {
  if (!last.has_signed_head()) return absl::OkStatus();
  TW_RETURN_IF_ERROR(CheckSignedHead(last.signed_head(), head));
  *head.mutable_signed_head() = last.signed_head();
  return absl::OkStatus();
}

// The newest head, if the chain holds `note`; nothing if it does not. Where it does, it must hold
// what was `seen` of the same budget, too.
absl::StatusOr<std::optional<v1::NotedHead>> GoOn(const WatchedChain& chain,
                                                  const v1::CorpusDescription& description,
                                                  const v1::NotedHead& note, const Seen& seen) {
  // From the earliest of what must be in it, so that one reading shows them all.
  const v1::NotedHead* first = &note;
  for (const v1::NotedHead& earlier : seen) {
    if (earlier.sequence() < first->sequence()) first = &earlier;
  }
  TW_ASSIGN_OR_RETURN(const Entries entries,
                      chain.wall.ReadLedger(description.corpus(), first->sequence()));
  if (!Holds(entries, note)) return std::nullopt;
  for (const v1::NotedHead& earlier : seen) {
    if (!Holds(entries, earlier)) {
      return Broken(description.corpus(), earlier, "another history to another reader");
    }
  }
  // The verifier starts behind `first`, whose head is known. Had the wall sent anything else in
  // front, either Holds would have failed or the next entry does not follow.
  TW_ASSIGN_OR_RETURN(v1::NotedHead head,
                      Follow(description, absl::MakeConstSpan(entries).subspan(1),
                             proto::ChainVerifier(first->sequence(), first->head())));
  // From its first entry on the same chain is refused: no chain tells of two budgets.
  if (!head.budget_id().empty() && head.budget_id() != note.budget_id()) return std::nullopt;
  // The verifier knows it from visible events only, and there may have been none.
  head.set_budget_id(note.budget_id());
  TW_RETURN_IF_ERROR(CheckKey(chain, description, &note));
  TW_RETURN_IF_ERROR(KeepSignedHead(entries.back(), head));
  return head;
}

struct WholeChain {
  v1::NotedHead head;
  Entries entries;
};

absl::StatusOr<WholeChain> ReadWhole(const WatchedChain& chain,
                                     const v1::CorpusDescription& description) {
  WholeChain whole;
  TW_ASSIGN_OR_RETURN(whole.entries, chain.wall.ReadLedger(description.corpus(), 1));
  if (whole.entries.empty()) return absl::DataLossError("the wall shows an empty ledger.");
  TW_ASSIGN_OR_RETURN(whole.head, Follow(description, whole.entries, proto::ChainVerifier()));
  if (whole.head.budget_id().empty()) {
    return absl::DataLossError("the wall shows a ledger without the opening of its budget.");
  }
  TW_RETURN_IF_ERROR(KeepSignedHead(whole.entries.back(), whole.head));
  return whole;
}

// What a chain shows at the place of a note that it does not hold.
// If the chain tells of a restore before the note's place, that is why entries are missing, in the
// custodian's own words. It excuses nothing: what was released in the entries that are gone, the
// chain cannot tell.
std::string ShownInstead(const WholeChain& whole, const v1::NotedHead& note) {
  const bool is_short = whole.head.sequence() < note.sequence();
  const v1::LedgerEntry& last =
      is_short ? whole.entries.back() : whole.entries[static_cast<size_t>(note.sequence() - 1)];
  std::string text = absl::StrCat(is_short ? "a ledger that ends at entry " : "another entry ",
                                  last.sequence(), ", head ", absl::BytesToHexString(last.head()));
  // One behind the noted place lost other entries than the noted one, and one before the note was
  // made was in the noted chain itself.
  for (const Restore& restore : RestoresIn(whole.entries)) {
    const bool was_known = restore.time_ms + kClocksDifferByMs < note.noted_at_ms();
    if (restore.before_opening || restore.sequence > note.sequence() || was_known) continue;
    absl::StrAppend(&text, ". It says that ", DescribeRestore(restore), ". Entries ",
                    restore.sequence, " to ", note.sequence(),
                    ", which you had seen, may be missing");
  }
  return text;
}

// What was noted of the corpus and is of no budget that the chain knows; null if there is none.
const v1::NotedHead* Forgotten(const v1::HeadBook& notes, const WholeChain& whole,
                               absl::string_view corpus) {
  for (const v1::NotedHead& note : notes.heads()) {
    if (note.corpus() == corpus && note.budget_id() != whole.head.budget_id() &&
        !TellsOf(note.budget_id(), whole.entries)) {
      return &note;
    }
  }
  return nullptr;
}

// Notes what was found to go on from `note`, or to be new (null).
absl::StatusOr<ChainSight> NoteSight(const WatchedChain& chain, const v1::NotedHead* note,
                                     ChainSight sight, Seen& seen) {
  const absl::Status noted = chain.book.Note(note, sight.head);
  if (absl::IsAborted(noted)) seen.push_back(sight.head);
  TW_RETURN_IF_ERROR(noted);
  return sight;
}

// A chain that is not the one last noted of the corpus.
absl::StatusOr<ChainSight> Meet(const WatchedChain& chain, const v1::HeadBook& notes,
                                const v1::CorpusDescription& description, Seen& seen) {
  const std::string& corpus = description.corpus();
  TW_ASSIGN_OR_RETURN(WholeChain whole, ReadWhole(chain, description));
  // By budget as well as by name: two corpora may spend from one budget, and it has one note, under
  // the name that was seen last.
  const v1::NotedHead* of_corpus = NoteOfCorpus(notes, corpus);
  const v1::NotedHead* note = NoteOfBudget(notes, whole.head.budget_id());
  TW_RETURN_IF_ERROR(CheckKey(chain, description, note));
  if (note != nullptr && !Holds(whole.entries, *note)) {
    return Broken(corpus, *note, ShownInstead(whole, *note));
  }
  for (const v1::NotedHead& earlier : seen) {
    if (earlier.budget_id() == whole.head.budget_id() && !Holds(whole.entries, earlier)) {
      return Broken(corpus, earlier, ShownInstead(whole, earlier));
    }
  }
  if (note == nullptr && of_corpus != nullptr &&
      of_corpus->corpus_version() == description.corpus_version()) {
    return Broken(corpus, *of_corpus,
                  absl::StrCat("another budget of the same documents, ", whole.head.budget_id(),
                               ", with a ledger of its own"));
  }
  if (const v1::NotedHead* forgotten = Forgotten(notes, whole, corpus); forgotten != nullptr) {
    return Broken(corpus, *forgotten,
                  absl::StrCat("budget ", whole.head.budget_id(),
                               ", whose ledger does not know the noted one. If a backup was "
                               "restored that is older, the same people pay for both budgets, and "
                               "no sum that the wall tells counts the noted one"));
  }
  ChainSight sight = {.description = description, .head = std::move(whole.head), .replaced = {}};
  // The documents of one version have one budget, for ever. A second one would let the first ε be
  // spent once more, and no head or receipt of the first would ever contradict it.
  if (note == nullptr && of_corpus != nullptr) sight.replaced = *of_corpus;
  return NoteSight(chain, note, std::move(sight), seen);
}

// One look; ABORTED if another process noted something meanwhile. `seen`: what earlier looks saw.
absl::StatusOr<ChainSight> Look(const WatchedChain& chain, absl::string_view corpus, Seen& seen) {
  TW_ASSIGN_OR_RETURN(const v1::HeadBook notes, chain.book.Read());
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, Describe(chain.wall, corpus));
  const v1::NotedHead* note = NoteOfCorpus(notes, corpus);
  ChainSight sight = {.description = description, .head = {}, .replaced = {}};
  if (description.state() == v1::CORPUS_STATE_NO_BUDGET) {
    if (note == nullptr || note->corpus_version() != description.corpus_version()) return sight;
    // A budget does not go away. A new version has none until the custodian opens it.
    return Broken(corpus, *note, "no budget at all");
  }
  if (note == nullptr) return Meet(chain, notes, description, seen);
  TW_ASSIGN_OR_RETURN(const std::optional<v1::NotedHead> head,
                      GoOn(chain, description, *note, seen));
  if (!head.has_value()) return Meet(chain, notes, description, seen);
  sight.head = *head;
  return NoteSight(chain, note, std::move(sight), seen);
}

}  // namespace

std::string DescribeNote(const v1::NotedHead& note) {
  return absl::StrCat("entry ", note.sequence(), ", head ", absl::BytesToHexString(note.head()),
                      ", noted on ", DescribeTime(note.noted_at_ms()));
}

absl::StatusOr<ChainSight> LookAtChain(const WatchedChain& chain, absl::string_view corpus) {
  Seen seen;
  absl::StatusOr<ChainSight> sight = Look(chain, corpus, seen);
  for (int i = 1; i < kMostLooks && absl::IsAborted(sight.status()); ++i) {
    sight = Look(chain, corpus, seen);
  }
  return sight;
}

absl::StatusOr<ChainSight> AcceptChain(const WatchedChain& chain, absl::string_view corpus) {
  TW_ASSIGN_OR_RETURN(const v1::HeadBook notes, chain.book.Read());
  const absl::StatusOr<v1::CorpusDescription> described = Describe(chain.wall, corpus);
  ChainSight sight;
  const v1::NotedHead* note = NoteOfCorpus(notes, corpus);
  if (note != nullptr) sight.replaced = *note;
  const bool is_without = described.ok() && described->state() == v1::CORPUS_STATE_NO_BUDGET;
  if (note != nullptr && (is_without || absl::IsPermissionDenied(described.status()))) {
    TW_RETURN_IF_ERROR(chain.book.Forget(corpus));
    return sight;
  }
  TW_ASSIGN_OR_RETURN(sight.description, described);
  if (is_without) {
    return absl::FailedPreconditionError(
        absl::StrCat("no budget is open for ", corpus, ": there is no head to note."));
  }
  // Only the key that the profile pins still counts: it is not part of what the wall showed.
  TW_RETURN_IF_ERROR(CheckKey(chain, sight.description, nullptr));
  TW_ASSIGN_OR_RETURN(WholeChain whole, ReadWhole(chain, sight.description));
  sight.head = std::move(whole.head);
  TW_RETURN_IF_ERROR(chain.book.Accept(sight.head));
  return sight;
}

}  // namespace topicwall::client
