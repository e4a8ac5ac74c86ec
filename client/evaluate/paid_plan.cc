#include "client/evaluate/paid_plan.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/threads/for_each_block.h"
#include "client/audit/budget_sum.h"
#include "client/audit/enforced_price.h"
#include "client/audit/wall_audit.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/wall/mock_custodian.h"
#include "client/wall/receipt_book.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/topic_model.h"
#include "model/mixture/component_weights.h"
#include "model/mixture/mixture_perplexity.h"
#include "proto/strict_parse.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMostPaidBytes = int64_t{1} << 30;

// In any field at any depth: NaN is no number that a release or its price can be.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the message, which the parser bounds.
bool HasNan(const google::protobuf::Message& message) {
  using Field = google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& access = *message.GetReflection();
  const auto is_nan = [&](const Field* field, int i) {
    const bool many = field->is_repeated();
    switch (field->cpp_type()) {
      case Field::CPPTYPE_DOUBLE:
        return std::isnan(many ? access.GetRepeatedDouble(message, field, i)
                               : access.GetDouble(message, field));
      case Field::CPPTYPE_FLOAT:
        return std::isnan(many ? access.GetRepeatedFloat(message, field, i)
                               : access.GetFloat(message, field));
      case Field::CPPTYPE_MESSAGE:
        return HasNan(many ? access.GetRepeatedMessage(message, field, i)
                           : access.GetMessage(message, field));
      default:
        return false;
    }
  };
  std::vector<const Field*> fields;
  access.ListFields(message, &fields);
  for (const Field* field : fields) {
    const int size = field->is_repeated() ? access.FieldSize(message, field) : 1;
    for (int i = 0; i < size; ++i) {
      if (is_nan(field, i)) return true;
    }
  }
  return false;
}

absl::Status CheckVocabulary(const v1::CorpusDescription& description, const v1::ModelFile& model) {
  const std::vector<std::string> terms(model.terms().begin(), model.terms().end());
  // The model brings its terms along, so their digest is enough and the list need not be sent.
  if (description.tokenizer() == model.tokenizer() &&
      description.vocabulary_sha256() == base::DigestBytes(VocabularyDigest(terms))) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("the model must have the words of ",
                                                 description.corpus(),
                                                 "; it has others. Fit one to that corpus."));
}

// Nor does anybody pay for numbers of topics of documents that do not exist.
absl::Status CheckIsNoMocks(bool is_of_a_mock, const v1::CorpusDescription& description) {
  return CheckNotOfMock(is_of_a_mock, description.custodian_id(),
                        "the model is a MOCK's, or what is kept in its folder is: of documents "
                        "that do not exist. Ask the corpus itself, in another folder.");
}

}  // namespace

absl::Status CheckPaidHere(WallPort& wall, const std::string& corpus, const std::string& folder,
                           const std::string& custodian_id) {
  const absl::StatusOr<v1::CorpusDescription> description = wall.DescribeCorpus(corpus);
  // A corpus without a budget has signed nothing.
  const bool signs = description.ok() && description->state() != v1::CORPUS_STATE_NO_BUDGET;
  TW_ASSIGN_OR_RETURN(
      const ReceiptBook book,
      ReceiptBook::Open(ReceiptsPath(folder), signs ? description->signing_key() : ""));
  const bool is_of_a_mock = book.is_of_a_mock() || IsMock(custodian_id);
  if (description.ok()) return CheckIsNoMocks(is_of_a_mock, *description);
  // The wall is another one than it was, which it says itself (receipted_wall.h, watched_wall.h).
  const bool differs =
      absl::IsFailedPrecondition(description.status()) || absl::IsDataLoss(description.status());
  return differs || is_of_a_mock ? description.status() : absl::OkStatus();
}

absl::StatusOr<PlanQuote> BeginQuote(WallPort& wall, const std::string& corpus) {
  PlanQuote quote;
  TW_ASSIGN_OR_RETURN(quote.description, wall.DescribeCorpus(corpus));
  TW_ASSIGN_OR_RETURN(quote.budget, OpenBudget(wall, corpus));
  return quote;
}

absl::StatusOr<PlanQuote> BeginQuote(WallPort& wall, const std::string& corpus,
                                     const v1::ModelFile& model) {
  PlanQuote quote;
  TW_ASSIGN_OR_RETURN(quote.description, wall.DescribeCorpus(corpus));
  TW_RETURN_IF_ERROR(CheckIsNoMocks(IsMock(model.custodian_id()), quote.description));
  TW_RETURN_IF_ERROR(CheckVocabulary(quote.description, model));
  TW_ASSIGN_OR_RETURN(quote.budget, OpenBudget(wall, corpus));
  return quote;
}

v1::LdaOptions TopicsToAsk(const v1::ModelFile& model, const v1::Limits& limits) {
  v1::LdaOptions options;
  options.set_num_topics(model.num_topics());
  if (!model.component_weights().empty()) {
    options.set_one_topic_a_document(true);
    return options;
  }
  *options.mutable_document_topic_prior() = model.document_topic_prior();
  // As for documents of one's own.
  const lda::HeldOutOptions usual;
  options.set_max_iterations(std::min(usual.max_iterations, limits.max_model_iterations()));
  options.set_mean_change_threshold(usual.mean_change_threshold);
  return options;
}

absl::StatusOr<std::vector<float>> TopicsAsParameters(const v1::ModelFile& model) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel topics, ModelOf(model));
  std::vector<float> log_topics = lda::LogMeanTopics(topics, lda::NumProcessors()).TakeValues();
  std::vector<double> weights(model.component_weights().begin(), model.component_weights().end());
  if (weights.empty()) return log_topics;
  // For its checks. What follows is as it has it, so that the wall scores the same mixture.
  TW_RETURN_IF_ERROR(mixture::FittedMixture::Create(topics, weights).status());
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  const auto least = static_cast<float>(std::log(lda::kProbabilityFloor));
  for (float& value : log_topics) value = std::max(value, least);
  return mixture::WithWeights(log_topics, weights);
}

absl::Status PriceAtMost(WallPort& wall, const PlanNoise& noise, PlanQuote& quote) {
  TW_ASSIGN_OR_RETURN(const Account account, AccountOf(wall, quote.description, quote.budget));
  const absl::StatusOr<double> chosen =
      NoiseFor(account, noise,
               {.sampling_rate = quote.plan.sampling_rate(),
                .releases = quote.plan.iterations(),
                .min_noise_multiplier = quote.description.limits().min_noise_multiplier()});
  TW_RETURN_IF_ERROR(WithSum(chosen.status(), quote.description.sum()));
  std::optional<double> most = noise.epsilon;
  if (noise.spend.has_value()) {
    quote.plan.mutable_gaussian()->set_noise_multiplier(*chosen);
    TW_ASSIGN_OR_RETURN(most, PriceAlone(account.policy, quote.plan));
  }
  const auto plan_of = [&](double noise_multiplier) {
    quote.plan.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
    return quote.plan;
  };
  TW_ASSIGN_OR_RETURN(quote.price,
                      PriceAtMost(wall, {.policy = account.policy, .sum = quote.description.sum()},
                                  *chosen, most, plan_of));
  return AddTaking(account, noise, {quote.plan}, quote.plan.gaussian().noise_multiplier(), quote);
}

void UpdateWithNoise(const PlanNoise& noise, base::Sha256* asked) {
  asked->UpdateString(noise.spend.has_value() ? noise.spend->text : "");
  asked->UpdateNumber(noise.epsilon.value_or(0));
  asked->UpdateNumber(noise.noise_multiplier.value_or(0));
}

std::string PaidPath(const std::string& directory, absl::string_view name, base::Sha256 asked) {
  // For a handful of files in a folder.
  const std::string digest = base::DigestBytes(std::move(asked).Finish()).substr(0, 8);
  return absl::StrCat(directory, "/", name, "-", base::Hex(digest), ".pb");
}

absl::Status WritePaid(const google::protobuf::MessageLite& file, const std::string& path) {
  return base::ReplaceFileDurably(path, file.SerializeAsString());
}

absl::StatusOr<bool> ReadPaid(const std::string& path, absl::string_view name,
                              absl::FunctionRef<bool()> is_whole, google::protobuf::Message* file) {
  const absl::StatusOr<std::string> bytes = base::ReadWholeFile(path, kMostPaidBytes);
  if (absl::IsNotFound(bytes.status())) return false;
  TW_RETURN_IF_ERROR(bytes.status());
  const proto::Reading reading = proto::ReadStrictly(*bytes, file);
  if (reading == proto::Reading::kSaysMore) return proto::WrittenByNewer(path);
  if (reading == proto::Reading::kWhole && is_whole() && !HasNan(*file)) return true;
  return absl::InvalidArgumentError(absl::StrCat(
      path, " is no ", name,
      " that this version of topicwall can read. If it is damaged, see with `topicwall plans` what "
      "is reserved before removing it."));
}

absl::Status CheckVersion(WallPort& wall, const v1::ReleaseSpec& plan) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(plan.corpus()));
  TW_RETURN_IF_ERROR(CheckKnown(description));
  if (description.corpus_version() == plan.corpus_version()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the plan was begun on another version of corpus ", plan.corpus(),
                   ", which is no longer served. Change a flag to begin another one."));
}

absl::Status WriteIn(const ModelDirectory& directory, const google::protobuf::MessageLite& file,
                     const std::string& path) {
  TW_RETURN_IF_ERROR(directory.CheckInPlace());
  return WritePaid(file, path);
}

absl::Status RemoveFrom(const ModelDirectory& directory, const std::string& path) {
  TW_RETURN_IF_ERROR(directory.CheckInPlace());
  return base::RemoveFileDurably(path);
}

}  // namespace topicwall::client
