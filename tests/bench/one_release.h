// What a bench needs to run a release without a ledger: a corpus on the disk, and a receipt.
#ifndef TOPICWALL_TESTS_BENCH_ONE_RELEASE_H_
#define TOPICWALL_TESTS_BENCH_ONE_RELEASE_H_

#include <stdlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "model/data/tokenizer.h"
#include "model/data/vocabulary.h"
#include "server/corpus/corpus_manifest.h"
#include "server/corpus/ingest/corpus_writer.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/support/receipt_for_tests.h"

namespace topicwall::bench {

// Removed with everything in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& parent) : path_(parent + "/topicwall-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string Path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// One document to a unit, terms named by their numbers.
inline corpus::CorpusParams CountedDocuments(int vocabulary_size) {
  std::vector<std::string> terms;
  for (int i = 0; i < vocabulary_size; ++i) terms.push_back(absl::StrCat("t", i));
  return {.privacy_unit = corpus::PrivacyUnit::kDocument,
          .tokenizer = lda::kCountsTokenizerName,
          .vocabulary = std::make_shared<const lda::Vocabulary>(
              *lda::Vocabulary::CreateOpaque(std::move(terms))),
          .max_units = corpus::kMaxUnits};
}

// Always the same coins and noise.
inline absl::StatusOr<mechanism::ReleaseKeys> PaidKeys(double sampling_rate, int num_shards = 1) {
  ledger::ChargeTerms terms = {.charge_id = 1,
                               .plan_id = "plan",
                               .iteration = 1,
                               .request_digest = {1},
                               .corpus_version = {1},
                               .charged_at_ms = 1,
                               .mechanism = {.sampling_rate = sampling_rate,
                                             .noise_multiplier = 5,
                                             .histogram_noise_multiplier = std::nullopt,
                                             .max_words = 500,
                                             .weights = {}}};
  return mechanism::SplitReceipt(
      ledger::ChargeReceiptTestPeer::Make(std::move(terms),
                                          random::SecretKey(std::array<uint8_t, 32>{1})),
      num_shards, nullptr);
}

}  // namespace topicwall::bench

#endif  // TOPICWALL_TESTS_BENCH_ONE_RELEASE_H_
