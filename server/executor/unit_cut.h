// Cuts a privacy unit to its public caps before its statistic: at most `max_documents` of its
// documents, at most `max_words` tokens of each, chosen uniformly without replacement and
// freshly for every release.
//
//   absl::StatusOr<UnitCut> cut = UnitCut::Create(&coins.truncation_key(), /*max_words=*/500);
//   cut->ChooseDocuments(unit_id, num_documents, max_documents, &chosen);
//   for (int d : chosen) {
//     absl::StatusOr<lda::DocumentView> words = cut->CutWords(unit_id, d, document(d), &space);
//
// Tokens are drawn one after the other from an urn that holds each term as often as the
// document still does, so the kept counts are multivariate hypergeometric, exactly: every
// draw is an unbiased integer (random::Keystream::NextBelow), no float is involved.
//
// The bits come from a stream of (cut key, unit id, number of the document in its unit):
// what is kept of a document does not depend on its neighbours, on the order of work or
// on whether the unit was cut to fewer documents. A document or unit within the cap comes
// back whole and draws nothing.
//
// Privacy: input and output are PRIVATE; both caps are PUBLIC. The cuts are part of the
// release's randomness and are mixed out in the proof (joint convexity).
// Errors: INTERNAL if OpenSSL fails; the release must not go on.
// Threads: const methods may be called from many threads at once, one workspace each.
// Cost: nothing within the cap; else about 5 µs and O((D + N) log D) for D distinct terms
// and cap N, however long the document is.
#ifndef TOPICWALL_SERVER_EXECUTOR_UNIT_CUT_H_
#define TOPICWALL_SERVER_EXECUTOR_UNIT_CUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::executor {

class UnitCut {
 public:
  // Buffers of one thread, reused from document to document.
  class Workspace {
   public:
    // Takes and touches all that documents of up to so many distinct terms need.
    void Reserve(std::size_t num_terms) {
      urn_.resize(num_terms + 1);
      kept_.resize(num_terms);
    }
    static std::size_t BytesReserved(std::size_t num_terms) {
      return (num_terms + 1) * sizeof(uint64_t) + num_terms * sizeof(lda::TermCount);
    }

   private:
    friend class UnitCut;
    std::vector<uint64_t> urn_;         // Fenwick tree over the counts still in the urn
    std::vector<lda::TermCount> kept_;  // what CutWords returns a view of
  };

  // N = max_words >= 1 (INVALID_ARGUMENT). `cut_key` must outlive it.
  static absl::StatusOr<UnitCut> Create(const random::SecretKey* cut_key, int64_t max_words);

  // The document itself if it has at most N tokens; else N of its tokens, with terms in the
  // same order, in `workspace`, valid until that is used again.
  absl::StatusOr<lda::DocumentView> CutWords(const random::UnitId& unit, int document_number,
                                             lda::DocumentView document,
                                             Workspace* workspace) const;

  // Replaces *chosen by min(num_documents, max_documents) ascending document numbers of
  // 0…num_documents - 1.
  absl::Status ChooseDocuments(const random::UnitId& unit, int num_documents, int max_documents,
                               std::vector<int>* chosen) const;

 private:
  UnitCut(const random::SecretKey& cut_key, int64_t max_words)
      : cut_key_(cut_key), max_words_(max_words) {}

  const random::SecretKey& cut_key_;
  int64_t max_words_;
};

}  // namespace topicwall::executor

#endif  // TOPICWALL_SERVER_EXECUTOR_UNIT_CUT_H_
