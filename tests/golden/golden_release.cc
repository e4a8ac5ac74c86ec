#include "tests/golden/golden_release.h"

#include <bit>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "proto/models/lda_options.h"
#include "server/corpus/decoded_blocks.h"
#include "server/executor/thread_executor.h"
#include "server/mechanism/noise_mechanism.h"
#include "tests/server/mechanism/small_release.h"
#include "tests/support/receipt_for_tests.h"

namespace topicwall::golden {
namespace {

constexpr double kClipNorm = 6;
constexpr int64_t kMaxDocumentsOfOwner = 3;
constexpr double kHeldOutShare = 0.5;

const char* WordOf(Asked asked) {
  switch (asked) {
    case Asked::kPlain:
      return "plain";
    case Asked::kTermWeights:
      return "term_weights";
    case Asked::kNormHistogram:
      return "norm_histogram";
    case Asked::kHeldOutShare:
      return "held_out_share";
    case Asked::kDocumentCompletion:
      return "document_completion";
    case Asked::kDirectionNoise:
      return "direction_noise";
  }
  return "";
}

double DirectionNoise(const ReleaseCase& asked) {
  return asked.asked == Asked::kDirectionNoise ? 3 : 0;
}

// Of directions that nobody is clipped along the sum would tell nothing.
double ClipNorm(const ReleaseCase& asked) { return DirectionNoise(asked) != 0 ? 1 : kClipNorm; }

bool IsEvaluation(const ReleaseCase& asked) { return asked.asked == Asked::kDocumentCompletion; }

int64_t MaxDocuments(const ReleaseCase& asked) {
  return asked.privacy_unit == v1::PRIVACY_UNIT_OWNER ? kMaxDocumentsOfOwner : 1;
}

absl::StatusOr<ledger::ChargeReceipt> ReceiptOf(const ReleaseCase& asked, uint8_t release_key) {
  ledger::ChargeTerms terms = {.charge_id = 60,
                               .plan_id = "golden",
                               .iteration = 1,
                               .request_digest = {4, 5},
                               .corpus_version = {6, 7},
                               .mechanism = {.sampling_rate = asked.sampling_rate,
                                             .noise_multiplier = kGoldenNoiseMultiplier,
                                             .histogram_noise_multiplier = std::nullopt,
                                             .max_words = asked.max_words,
                                             .weights = {}}};
  ledger::PaidMechanism& paid = terms.mechanism;
  if (asked.asked == Asked::kTermWeights) {
    TW_ASSIGN_OR_RETURN(paid.weights, GoldenTermWeights());
  }
  if (asked.asked == Asked::kNormHistogram) paid.histogram_noise_multiplier = 3;
  if (asked.asked == Asked::kHeldOutShare) paid.held_out_share = kHeldOutShare;
  if (IsEvaluation(asked)) {
    paid.held_out_share = kHeldOutShare;
    paid.held_out_only = true;
    paid.weights = {0.0625F, 0.25F};  // about half of the documents are clipped
  }
  return ledger::ChargeReceiptTestPeer::Make(
      std::move(terms), random::SecretKey(std::array<uint8_t, 32>{release_key}));
}

absl::StatusOr<std::unique_ptr<model::Inference>> InferenceOf(const ReleaseCase& asked,
                                                              int num_threads) {
  TW_RETURN_IF_ERROR(model::ChooseKernel(asked.kernel_name));
  TW_ASSIGN_OR_RETURN(const lda::LogTopics topics, GoldenTopics());
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      model::MakeModel(IsEvaluation(asked) ? "document_completion" : "lda",
                                       proto::LdaOptionBytes(kGoldenTopics, {0.3}, 50, 1e-3),
                                       {.vocabulary_size = kGoldenTerms}));
  return model->Bind(topics.values(), num_threads);
}

// A release before its noise.
struct Summed {
  mechanism::ReleaseKeys keys;
  executor::UnitSum units;
};

absl::StatusOr<Summed> SumOf(const ReleaseCase& asked, const GoldenCorpus& corpus,
                             const ReleaseHow& how) {
  const corpus::CorpusStore& store = corpus.store(asked.privacy_unit);
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                      InferenceOf(asked, how.num_threads));
  TW_ASSIGN_OR_RETURN(ledger::ChargeReceipt receipt, ReceiptOf(asked, how.release_key));
  const ledger::PaidMechanism paid = receipt.mechanism();
  const corpus::DecodedBlocks decoded;
  TW_ASSIGN_OR_RETURN(executor::ThreadExecutor executor,
                      executor::ThreadExecutor::Reserve(
                          *inference, {.corpus = store,
                                       .decoded = decoded,
                                       .bounds = {.unit = {.vocabulary_size = kGoldenTerms,
                                                           .max_words = paid.max_words,
                                                           .max_documents = MaxDocuments(asked)},
                                                  .has_weights = !paid.weights.empty(),
                                                  .num_threads = how.num_threads},
                                       .has_directions = DirectionNoise(asked) != 0}));
  TW_ASSIGN_OR_RETURN(mechanism::ReleaseKeys keys,
                      mechanism::SplitReceipt(std::move(receipt), 1, &store.held_out_key()));
  TW_ASSIGN_OR_RETURN(executor::UnitSum units,
                      executor.Sum({.coins = keys.coins,
                                    .clip_norm = ClipNorm(asked),
                                    .max_documents_per_unit = MaxDocuments(asked),
                                    .shards = {0},
                                    .direction_noise = DirectionNoise(asked)}));
  return Summed{.keys = std::move(keys), .units = std::move(units)};
}

// Of the numbers as their bits, the lowest byte first.
template <typename Bits, typename Number>
std::string DigestOf(const std::vector<Number>& numbers) {
  static_assert(sizeof(Bits) == sizeof(Number));
  if (numbers.empty()) return "-";
  std::vector<uint8_t> bytes;
  for (const Number number : numbers) {
    const Bits bits = std::bit_cast<Bits>(number);
    for (size_t i = 0; i < sizeof(Bits); ++i) bytes.push_back(static_cast<uint8_t>(bits >> 8 * i));
  }
  base::Sha256 hash;
  hash.Update(absl::MakeConstSpan(bytes));
  return base::Hex(std::move(hash).Finish());
}

}  // namespace

const char kRowHeader[] =
    "kernel,sampling_rate,privacy_unit,max_words,release,sum,noisy,histogram_sum,noisy_histogram";

std::vector<ReleaseCase> AllCases() {
  std::vector<ReleaseCase> cases;
  for (const char* const kernel_name : kGoldenKernels) {
    for (const double sampling_rate : {1.0, 0.1}) {
      for (const auto unit : {v1::PRIVACY_UNIT_DOCUMENT, v1::PRIVACY_UNIT_OWNER}) {
        for (const int64_t max_words : {kWhole, kTruncated}) {
          for (const Asked asked :
               {Asked::kPlain, Asked::kTermWeights, Asked::kNormHistogram, Asked::kHeldOutShare,
                Asked::kDocumentCompletion, Asked::kDirectionNoise}) {
            cases.push_back({kernel_name, sampling_rate, unit, max_words, asked});
          }
        }
      }
    }
  }
  return cases;
}

std::string NameOf(const ReleaseCase& asked) {
  const bool by_owner = asked.privacy_unit == v1::PRIVACY_UNIT_OWNER;
  return absl::StrCat(asked.kernel_name, ",", asked.sampling_rate, ",",
                      by_owner ? "owner" : "document", ",", asked.max_words, ",",
                      WordOf(asked.asked));
}

absl::StatusOr<ReleaseNumbers> Release(const ReleaseCase& asked, const GoldenCorpus& corpus,
                                       const ReleaseHow& how) {
  TW_ASSIGN_OR_RETURN(Summed summed, SumOf(asked, corpus, how));
  if (summed.units.unreadable) return absl::InternalError("the golden corpus could not be read");
  ReleaseNumbers numbers;
  numbers.sum = mechanism::PartialSumTestPeer::Grid(summed.units.sum);
  if (asked.asked == Asked::kNormHistogram) {
    const auto& histogram = mechanism::PartialSumTestPeer::Histogram(summed.units.sum);
    numbers.histogram_sum.assign(histogram.begin(), histogram.end());
  }
  TW_ASSIGN_OR_RETURN(const mechanism::NoisyStatistics noisy,
                      mechanism::AddNoise(std::move(summed.units.sum), std::move(summed.keys.noise),
                                          how.num_threads));
  numbers.noisy.assign(noisy.statistics().begin(), noisy.statistics().end());
  numbers.noisy_histogram.assign(noisy.norm_histogram().begin(), noisy.norm_histogram().end());
  return numbers;
}

std::string RowOf(const ReleaseCase& asked, const ReleaseNumbers& numbers) {
  const std::string sum = DigestOf<uint64_t>(numbers.sum);
  const std::string noisy = DigestOf<uint32_t>(numbers.noisy);
  const std::string histogram_sum = DigestOf<uint64_t>(numbers.histogram_sum);
  const std::string histogram = DigestOf<uint32_t>(numbers.noisy_histogram);
  return absl::StrCat(NameOf(asked), ",", sum, ",", noisy, ",", histogram_sum, ",", histogram);
}

}  // namespace topicwall::golden
