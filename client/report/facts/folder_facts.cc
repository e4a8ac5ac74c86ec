#include "client/report/facts/folder_facts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/prevalence_file.h"
#include "client/evaluate/prevalence_report.h"
#include "client/fit/model_file.h"
#include "client/report/facts/model_facts.h"
#include "client/report/facts/topic_likeness.h"

namespace topicwall::client {
namespace {

// Below this two topics have nothing to do with each other.
constexpr double kLeastLikeness = 0.05;
constexpr int kOtherWords = 5;

void AddGroup(const PrevalenceReport& from, size_t group, v1::ReportedPrevalence& prevalence) {
  const prevalence::GroupPrevalence& found = from.groups[group];
  v1::ReportedGroup& reported = *prevalence.add_groups();
  reported.set_label(from.labels[group].front());
  reported.set_documents(found.documents);
  reported.set_documents_error(found.documents_error);
  reported.set_none(found.none);
  if (found.none) return;  // its shares are NaN
  for (const prevalence::TopicPrevalence& topic : found.topics) {
    v1::ReportedShare& share = *reported.add_topics();
    share.set_share(static_cast<float>(topic.share));
    share.set_low(static_cast<float>(topic.interval.low));
    share.set_high(static_cast<float>(topic.interval.high));
  }
}

// The columns of `parts` for terms that both models have, each in the order of the first.
struct Common {
  DistinctParts first;
  DistinctParts second;
};
absl::StatusOr<Common> CommonParts(const v1::ModelFile& a, const v1::ModelFile& b) {
  TW_ASSIGN_OR_RETURN(const DistinctParts of_a, DistinctPartsOf(a));
  TW_ASSIGN_OR_RETURN(const DistinctParts of_b, DistinctPartsOf(b));
  std::map<std::string, Eigen::Index> columns;
  for (int v = 0; v < b.terms_size(); ++v) columns[b.terms(v)] = v;
  std::vector<Eigen::Index> in_a;
  std::vector<Eigen::Index> in_b;
  for (int v = 0; v < a.terms_size(); ++v) {
    const auto found = columns.find(a.terms(v));
    if (found == columns.end()) continue;
    in_a.push_back(v);
    in_b.push_back(found->second);
  }
  if (in_a.empty()) {
    return absl::InvalidArgumentError(
        "the model to compare with has none of the terms of this one. Compare models of one "
        "language and tokenizer.");
  }
  return Common{of_a(Eigen::all, in_a), of_b(Eigen::all, in_b)};
}

absl::Status AddOtherWords(const v1::ModelFile& other, int topic, v1::ReportedMatch& match) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(other));
  TW_ASSIGN_OR_RETURN(const std::vector<lda::TermProbability> words,
                      lda::TopTerms(model, topic, kOtherWords));
  for (const lda::TermProbability& word : words) {
    match.add_other_words(other.terms(static_cast<int>(word.term)));
  }
  return absl::OkStatus();
}

absl::Status AddMatches(const Eigen::MatrixXd& likeness, const v1::ModelFile& other,
                        v1::ReportedComparison& comparison) {
  std::vector<std::tuple<double, int, int>> pairs;
  for (int a = 0; a < likeness.rows(); ++a) {
    for (int b = 0; b < likeness.cols(); ++b) pairs.emplace_back(-likeness(a, b), a, b);
  }
  std::sort(pairs.begin(), pairs.end());
  std::vector<bool> taken_a(static_cast<size_t>(likeness.rows()));
  std::vector<bool> taken_b(static_cast<size_t>(likeness.cols()));
  for (const auto& [negative, a, b] : pairs) {
    if (-negative < kLeastLikeness) break;
    if (taken_a[static_cast<size_t>(a)] || taken_b[static_cast<size_t>(b)]) continue;
    taken_a[static_cast<size_t>(a)] = taken_b[static_cast<size_t>(b)] = true;
    v1::ReportedMatch& match = *comparison.add_matches();
    match.set_number(a + 1);
    match.set_other_number(b + 1);
    match.set_likeness(-negative);
    TW_RETURN_IF_ERROR(AddOtherWords(other, b, match));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FilesBeside(const std::string& folder,
                                                     const std::string& prefix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (absl::StartsWith(name, prefix) && absl::EndsWith(name, ".pb")) {
      paths.push_back(it->path().string());
    }
  }
  if (error) {
    return absl::UnknownError(absl::StrCat("cannot read the folder ", folder, ": ",
                                           error.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::Status AddEvaluations(const std::string& folder, v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBeside(folder, "evaluation-"));
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(const std::optional<v1::EvaluationFile> file, ReadEvaluation(path));
    if (!file.has_value() || !IsFinished(*file)) continue;
    const PerplexityEstimate estimate = EstimateOf(*file);
    v1::ReportedEvaluation& evaluation = *report.add_evaluations();
    evaluation.set_plan_id(file->plan().plan_id());
    evaluation.set_corpus(file->plan().plan().corpus());
    evaluation.set_releases(file->plan().plan().iterations());
    evaluation.set_held_out_share(file->plan().plan().held_out_share());
    evaluation.set_words(estimate.words);
    evaluation.set_words_deviation(estimate.words_deviation);
    evaluation.set_is_drowned(!estimate.perplexity.has_value());
    if (estimate.perplexity.has_value()) {
      evaluation.set_perplexity(*estimate.perplexity);
      evaluation.set_standard_error(estimate.standard_error);
    }
    evaluation.set_epsilon(file->epsilon());
    evaluation.set_delta(file->delta());
  }
  return absl::OkStatus();
}

absl::Status AddPrevalence(const v1::PrevalenceFile& file, const v1::ModelFile& model,
                           v1::Report& report) {
  for (const v1::Attribute& attribute : file.attributes()) {
    TW_ASSIGN_OR_RETURN(const PrevalenceReport by,
                        ReportOf(file, model, {.by = {attribute.name()}}));
    v1::ReportedPrevalence& prevalence = *report.add_prevalences();
    prevalence.set_plan_id(file.plan().plan_id());
    prevalence.set_corpus(file.plan().plan().corpus());
    prevalence.set_releases(file.plan().plan().iterations());
    prevalence.set_epsilon(file.epsilon());
    prevalence.set_delta(file.delta());
    prevalence.set_attribute(attribute.name());
    prevalence.set_is_date(attribute.is_date());
    prevalence.set_of_owners(file.privacy_unit() == v1::PRIVACY_UNIT_OWNER);
    for (size_t group = 0; group < by.groups.size(); ++group) AddGroup(by, group, prevalence);
  }
  return absl::OkStatus();
}

absl::Status AddComparison(const v1::ModelFile& model, const OtherModel& other,
                           v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const Common common, CommonParts(model, other.file));
  v1::ReportedComparison& comparison = *report.mutable_comparison();
  comparison.set_sha256(other.sha256);
  comparison.set_corpus(other.file.corpus());
  comparison.set_num_topics(other.file.num_topics());
  comparison.set_epsilon(other.file.epsilon());
  comparison.set_delta(other.file.delta());
  return AddMatches(Likeness(common.first, common.second), other.file, comparison);
}

}  // namespace topicwall::client
