// A plan whose J releases all ask the same (ask_paid.h), and are averaged: their noises are
// independent, and their sums of the same documents.
#include "client/evaluate/wall_prevalence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "client/audit/spend.h"
#include "client/fit/fit_outcome.h"
#include "client/fit/model_file.h"
#include "client/wall/topics_asked.h"
#include "model/prevalence/cells.h"
#include "model/prevalence/expected_share_error.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

absl::Status CheckWish(const PrevalenceWish& wish) {
  TW_RETURN_IF_ERROR(CheckNoise(wish.noise));
  TW_RETURN_IF_ERROR(CheckFromOne("releases", wish.releases));
  TW_RETURN_IF_ERROR(CheckFromOne("max-words", wish.max_words));
  TW_RETURN_IF_ERROR(CheckSamplingRate(wish.sampling_rate.value_or(1)));
  const double documents = wish.typical_documents.value_or(1);
  if (documents >= 1 && documents <= 1e6) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("typical-documents must be in [1, 1000000]; got ", documents, "."));
}

// At most.
int64_t DocumentsPerUnit(const v1::CorpusDescription& description) {
  const bool owners = description.privacy_unit() == v1::PRIVACY_UNIT_OWNER;
  return owners ? description.limits().max_documents_per_unit() : 1;
}

// Documents that count in full, of a unit: of more than the wall takes there would be but the
// noise.
absl::StatusOr<double> TypicalDocuments(const PrevalenceWish& wish,
                                        const v1::CorpusDescription& description) {
  if (description.privacy_unit() != v1::PRIVACY_UNIT_OWNER) {
    if (wish.typical_documents.value_or(1) == 1) return 1;
    return absl::InvalidArgumentError(absl::StrCat(
        "typical-documents is of owners, and the privacy unit of ", description.corpus(),
        " is the document; got ", *wish.typical_documents, ". Leave it out."));
  }
  if (wish.typical_documents.has_value()) {
    return std::min(*wish.typical_documents,
                    std::max(1.0, static_cast<double>(DocumentsPerUnit(description))));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "typical-documents is needed, as the privacy unit of ", description.corpus(),
      " is the owner. Give --typical-documents: owners of more count as if they had so "
      "many, and noise grows with it."));
}

// -1 if it is none.
int NumberOf(const std::string& name, absl::Span<const model::Attribute> attributes) {
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

// Ascending.
absl::StatusOr<std::vector<int>> NumbersOf(const std::vector<std::string>& by,
                                           absl::Span<const model::Attribute> attributes) {
  std::vector<int> numbers;
  for (const std::string& name : by) {
    const int number = NumberOf(name, attributes);
    if (number >= 0 && std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
      numbers.push_back(number);
      continue;
    }
    const std::string names = absl::StrJoin(
        attributes, ", ",
        [](std::string* out, const model::Attribute& one) { absl::StrAppend(out, one.name); });
    return absl::InvalidArgumentError(absl::StrCat(
        "by must name different attributes of the corpus, which has ",
        names.empty() ? "none" : names, "; got ", name, ". `topicwall describe` lists them."));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Everything but σ.
v1::ReleaseSpec UnpricedPlan(const PrevalenceWish& wish, const v1::ModelFile& model,
                             const v1::CorpusDescription& description,
                             const std::vector<int>& attributes) {
  v1::ReleaseSpec plan;
  plan.set_corpus(wish.corpus);
  plan.set_corpus_version(description.corpus_version());
  plan.set_sampling_rate(wish.sampling_rate.value_or(1));
  plan.set_iterations(wish.releases.value_or(1));
  plan.set_max_tokens(wish.max_words.value_or(description.limits().max_tokens()));
  std::vector<float> weights(static_cast<size_t>(model.num_topics()) + 1, 1.0F);
  weights.back() = kDocumentColumnWeight;
  plan.set_weights(proto::FloatsToLittleEndian(weights));
  v1::PrevalenceOptions options;
  *options.mutable_topics() = TopicsToAsk(model, description.limits());
  options.mutable_attributes()->Add(attributes.begin(), attributes.end());
  plan.set_model(kPrevalence);
  plan.set_options(options.SerializeAsString());
  return plan;
}

void Note(const PrevalenceQuote& quote, const v1::ModelFile& model, v1::PrevalenceFile& file) {
  file.set_topics_sha256(TopicsSha256(model));
  file.set_format_version(kPrevalenceFormatVersion);
  file.set_clip_norm(quote.clip_norm);
  const v1::PrevalenceOptions options = PrevalenceOf(quote.plan);
  for (const int number : options.attributes()) {
    *file.add_attributes() = quote.description.attributes(number);
  }
  file.set_privacy_unit(quote.description.privacy_unit());
  file.set_documents_per_unit(DocumentsPerUnit(quote.description));
}

void Take(const Release& release, v1::PrevalenceFile& file) {
  file.add_releases(proto::FloatsToLittleEndian(release.statistics));
  file.set_noise_standard_deviation(release.header.noise_standard_deviation());
}

// Of the corpus as the wall describes it now. A version keeps its attributes, and the groups of the
// numbers are told by those in the file.
absl::StatusOr<model::CorpusShape> ShapeOf(WallPort& wall, const v1::PrevalenceFile& file) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(plan.corpus()));
  const std::vector<model::Attribute> all = AttributesOf(description.attributes());
  TW_RETURN_IF_ERROR(model::CheckAttributes(all));
  std::vector<model::Attribute> asked;
  const v1::PrevalenceOptions options = PrevalenceOf(plan);
  for (const int number : options.attributes()) {
    if (number >= 0 && number < description.attributes_size()) {
      asked.push_back(all[static_cast<size_t>(number)]);
    }
  }
  if (asked != AttributesOf(file.attributes())) {
    return absl::DataLossError(
        absl::StrCat("the wall now describes other attributes of ", plan.corpus(),
                     " than when the plan was made, and calls it the same version. Ask the "
                     "custodian."));
  }
  return model::CorpusShape{.vocabulary_size = description.vocabulary_size(),
                            .attribute_sizes = model::SizesOf(all),
                            .vector_dimension = description.vectors().dimension()};
}

// The group of every cell, by the attributes of `by` alone: in their order there, the last one's
// values next to each other.
std::vector<int64_t> GroupsBy(const std::vector<std::string>& by,
                              const std::vector<model::Attribute>& attributes,
                              const prevalence::Cells& cells) {
  std::vector<int64_t> groups;
  for (int64_t cell = 0; cell < cells.size(); ++cell) {
    const std::vector<int> values = cells.ValuesOf(cell);
    int64_t& group = groups.emplace_back(0);
    for (const std::string& name : by) {
      const auto number = static_cast<size_t>(NumberOf(name, attributes));
      group = group * model::NumValues(attributes[number]) + values[number];
    }
  }
  return groups;
}

}  // namespace

absl::StatusOr<PrevalenceQuote> QuotePrevalence(WallPort& wall, const PrevalenceWish& wish,
                                                const v1::ModelFile& model) {
  TW_RETURN_IF_ERROR(CheckWish(wish));
  PrevalenceQuote quote;
  TW_ASSIGN_OR_RETURN(static_cast<PlanQuote&>(quote), BeginQuote(wall, wish.corpus, model));
  const std::vector<model::Attribute> all = AttributesOf(quote.description.attributes());
  TW_RETURN_IF_ERROR(model::CheckAttributes(all));
  TW_ASSIGN_OR_RETURN(const std::vector<int> numbers, NumbersOf(wish.by, all));
  for (const int number : numbers) quote.attributes.push_back(all[static_cast<size_t>(number)]);
  TW_ASSIGN_OR_RETURN(quote.typical_documents, TypicalDocuments(wish, quote.description));
  // No document is longer than √(1 + b²), so one is never clipped (prevalence_model.h).
  quote.clip_norm = quote.typical_documents * std::hypot(1.0, double{kDocumentColumnWeight});
  quote.plan = UnpricedPlan(wish, model, quote.description, numbers);
  TW_RETURN_IF_ERROR(PriceAtMost(wall, wish.noise, quote));
  return quote;
}

std::optional<double> ExpectedError(const PrevalenceQuote& quote) {
  const v1::ReleaseSpec& plan = quote.plan;
  const int num_topics = NumTopics(plan);
  if (quote.description.nominal_size() < 1 || num_topics < 1) return std::nullopt;
  // The clip norm, and the noise with it, is that of an owner of so many.
  const double documents =
      static_cast<double>(quote.description.nominal_size()) * quote.typical_documents;
  int64_t cells = 1;
  // "other" is expected to be empty.
  for (const model::Attribute& attribute : quote.attributes) {
    cells *= std::max(1, model::NumValues(attribute) - 1);
  }
  const double deviation = plan.gaussian().noise_multiplier() * quote.clip_norm;
  const absl::StatusOr<double> error = prevalence::ExpectedShareError(
      {.num_topics = num_topics,
       .documents = documents / static_cast<double>(cells),
       .share = 1.0 / num_topics,
       .noise = {.topic_deviation = deviation,
                 .count_deviation = deviation / double{kDocumentColumnWeight},
                 .sampling_rate = plan.sampling_rate(),
                 .documents_per_unit = DocumentsPerUnit(quote.description)},
       .num_releases = plan.iterations()});
  return error.ok() ? std::optional<double>(*error) : std::nullopt;
}

std::string AssumptionOf(const PrevalenceQuote& quote) {
  constexpr char kSize[] = "if the stated size is right";
  if (quote.description.privacy_unit() != v1::PRIVACY_UNIT_OWNER) return kSize;
  return absl::StrCat(kSize, " and owners have ", quote.typical_documents, " documents each");
}

absl::StatusOr<WallPrevalence> AskPrevalence(WallPort& wall, ModelDirectory& directory,
                                             const PrevalenceWish& wish,
                                             const PrevalenceHooks& hooks) {
  TW_RETURN_IF_ERROR(CheckWish(wish));
  TW_ASSIGN_OR_RETURN(const v1::ModelFile model, ReadModelSoFar(directory.path()));
  using File = v1::PrevalenceFile;
  return AskPaid<File, PrevalenceQuote>(
      wall, directory,
      {.corpus = wish.corpus,
       .path = PrevalencePath(directory.path(), wish, model),
       .read = ReadPrevalence,
       .quote = [&]() -> absl::StatusOr<PrevalenceQuote> {
         TW_RETURN_IF_ERROR(CheckHasEnded(wall, model, directory.path()));
         return QuotePrevalence(wall, wish, model);
       },
       .note = [&](const PrevalenceQuote& quote, File& file) { Note(quote, model, file); },
       .custodian_id = [&](const File&) { return model.custodian_id(); },
       .parameters = [&](const File&) { return TopicsAsParameters(model); },
       .corpus_shape = [&](const File& file) { return ShapeOf(wall, file); },
       .releases = [](const File& file) { return file.releases_size(); },
       .take = Take},
      hooks);
}

absl::StatusOr<prevalence::PrevalenceSums> SumsOf(const v1::PrevalenceFile& file,
                                                  const std::vector<std::string>& by) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  const std::vector<model::Attribute> attributes = AttributesOf(file.attributes());
  for (const std::string& name : by) {
    if (NumberOf(name, attributes) >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("by must name attributes that were asked for; got ", name,
                     ". Ask for it, which is another plan."));
  }
  std::vector<std::vector<float>> numbers;
  for (const std::string& release : file.releases()) {
    TW_ASSIGN_OR_RETURN(numbers.emplace_back(), proto::FloatsFromLittleEndian(release));
  }
  std::vector<int> all(attributes.size());
  std::iota(all.begin(), all.end(), 0);
  TW_ASSIGN_OR_RETURN(
      const prevalence::Cells cells,
      prevalence::Cells::Create(all, {.attribute_sizes = model::SizesOf(attributes)}));
  TW_ASSIGN_OR_RETURN(
      const prevalence::PrevalenceSums sums,
      prevalence::SumsOfReleases(
          std::vector<absl::Span<const float>>(numbers.begin(), numbers.end()), NumTopics(plan),
          cells.size(),
          {.topic_deviation = file.noise_standard_deviation(),
           .count_deviation = file.noise_standard_deviation() / double{kDocumentColumnWeight},
           .sampling_rate = plan.sampling_rate(),
           .documents_per_unit = file.documents_per_unit()}));
  return prevalence::MergeCells(sums, GroupsBy(by, attributes, cells));
}

}  // namespace topicwall::client
