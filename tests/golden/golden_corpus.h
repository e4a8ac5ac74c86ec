// The made-up corpus that golden releases are made of, and the topics they are asked for: the same
// for ever, on every machine.
//
//   TW_ASSIGN_OR_RETURN(GoldenCorpus corpus, GoldenCorpus::Seal(folder, GoldenDocuments()));
//   corpus.store(v1::PRIVACY_UNIT_OWNER)
//
// 300 owners of one to three documents, some 600 in all, so that both kinds of units fill more than
// one block and threads have something to share. 1 to 40 tokens a document, many of them repeated;
// beside them:
//   kShortDocument  all that its owner has: one token. The least there is: a corpus takes no
//                   document without words.
//   kLongDocument   5,000 tokens, of every term
//   kManyOwner      has nine documents, three times what is taken of an owner
#ifndef TOPICWALL_TESTS_GOLDEN_GOLDEN_CORPUS_H_
#define TOPICWALL_TESTS_GOLDEN_GOLDEN_CORPUS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "model/lda/topics/log_topics.h"
#include "server/corpus/corpus_store.h"
#include "tests/server/corpus/small_corpus.h"

namespace topicwall::golden {

// No multiple of any kernel's vectors, and more than one of them: with 7 topics two kernels add in
// the same order, and their releases are the same bits.
inline constexpr int kGoldenTopics = 37;
inline constexpr int kGoldenTerms = 203;

inline constexpr char kShortDocument[] = "short";
inline constexpr char kLongDocument[] = "long";
inline constexpr char kManyOwner[] = "owner-of-many";

absl::StatusOr<std::vector<corpus::PlainDocument>> GoldenDocuments();
absl::StatusOr<lda::LogTopics> GoldenTopics();
// One for each term, between 1/4 and 2.
absl::StatusOr<std::vector<float>> GoldenTermWeights();

class GoldenCorpus {
 public:
  // Writes and opens a corpus of the documents for each kind of privacy unit, under a custodian's
  // key that never changes. `folder` is there and has nothing of these names.
  static absl::StatusOr<GoldenCorpus> Seal(const std::string& folder,
                                           const std::vector<corpus::PlainDocument>& documents);

  const corpus::CorpusStore& store(v1::PrivacyUnit unit) const {
    return unit == v1::PRIVACY_UNIT_OWNER ? *by_owner_ : *by_document_;
  }

 private:
  GoldenCorpus(std::unique_ptr<corpus::CorpusStore> by_document,
               std::unique_ptr<corpus::CorpusStore> by_owner)
      : by_document_(std::move(by_document)), by_owner_(std::move(by_owner)) {}

  std::unique_ptr<corpus::CorpusStore> by_document_;
  std::unique_ptr<corpus::CorpusStore> by_owner_;
};

}  // namespace topicwall::golden

#endif  // TOPICWALL_TESTS_GOLDEN_GOLDEN_CORPUS_H_
