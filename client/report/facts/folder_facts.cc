#include "client/report/facts/folder_facts.h"

#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/evaluate/evaluation_file.h"
#include "client/evaluate/prevalence_file.h"
#include "client/evaluate/prevalence_report.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/topics/model_match.h"
#include "client/topics/topic_labels.h"
#include "client/topics/topic_reading.h"
#include "model/lda/reading/quality_calibration.h"
#include "model/lda/reading/word_relevance.h"

namespace topicwall::client {
namespace {

constexpr int kOtherWords = 5;

void AddGroup(const PrevalenceReport& from, size_t group, v1::ReportedPrevalence& prevalence) {
  const prevalence::GroupPrevalence& found = from.groups[group];
  v1::ReportedGroup& reported = *prevalence.add_groups();
  reported.set_label(from.by.empty() ? "all documents" : from.labels[group].front());
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

void AddEstimate(const PerplexityEstimate& estimate, v1::ReportedEvaluation& evaluation) {
  evaluation.set_words(estimate.words);
  evaluation.set_words_deviation(estimate.words_deviation);
  evaluation.set_is_drowned(!estimate.perplexity.has_value());
  if (!estimate.perplexity.has_value()) return;
  evaluation.set_perplexity(*estimate.perplexity);
  evaluation.set_standard_error(estimate.standard_error);
}

void AddEstimate(const LogLikelihoodEstimate& estimate, v1::ReportedEvaluation& evaluation) {
  evaluation.set_words(estimate.vectors);
  evaluation.set_words_deviation(estimate.vectors_deviation);
  evaluation.set_is_drowned(!estimate.log_likelihood.has_value());
  if (!estimate.log_likelihood.has_value()) return;
  evaluation.set_log_density(*estimate.log_likelihood);
  evaluation.set_standard_error(estimate.standard_error);
}

PlanOfReport PlanOf(const v1::FitPlan& plan, absl::string_view what) {
  const std::string& corpus = plan.plan().corpus();
  return {.id = plan.plan_id(),
          .what = absl::StrCat(what, corpus),
          .corpus = corpus,
          .corpus_version = plan.plan().corpus_version()};
}

}  // namespace

absl::Status AddLabels(const std::string& folder, const v1::ModelFile& model, v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const TopicLabels labels, ReadLabels(folder, model));
  for (int k = 0; k < report.topics_size(); ++k) {
    report.mutable_topics(k)->set_label(labels[static_cast<size_t>(k)]);
  }
  return absl::OkStatus();
}

absl::Status AddEvaluations(const std::string& folder, const v1::ModelFile& model,
                            std::vector<PlanOfReport>& plans, v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBeside(folder, "evaluation"));
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(const std::optional<v1::EvaluationFile> file, ReadEvaluation(path));
    // What is half paid has another error than it will have, and is no result yet.
    if (!file.has_value() || !IsFinished(*file)) continue;
    if (file->topics_sha256() != TopicsSha256(model)) continue;
    plans.push_back(PlanOf(file->plan(), "an evaluation beside it, of corpus "));
    v1::ReportedEvaluation& evaluation = *report.add_evaluations();
    evaluation.set_plan_id(file->plan().plan_id());
    evaluation.set_corpus(file->plan().plan().corpus());
    evaluation.set_releases(file->plan().plan().iterations());
    evaluation.set_held_out_share(file->plan().plan().held_out_share());
    evaluation.set_was_trained_on(SawHeldOut(model, file->plan().plan(), file->unit_naming()));
    if (IsOfVectors(*file)) {
      AddEstimate(LogLikelihoodOf(*file), evaluation);
    } else {
      AddEstimate(EstimateOf(*file), evaluation);
    }
    evaluation.set_epsilon(file->epsilon());
    evaluation.set_delta(file->delta());
    evaluation.set_words_per_unit(file->words_per_unit());
  }
  return absl::OkStatus();
}

absl::Status AddPrevalence(const v1::PrevalenceFile& file, std::vector<PlanOfReport>& plans,
                           v1::Report& report) {
  plans.push_back(PlanOf(file.plan(), "a prevalence beside it, of corpus "));
  const auto add = [&file, &report](const PrevalenceView& view) -> absl::Status {
    TW_ASSIGN_OR_RETURN(const PrevalenceReport by, ReportOf(file, view));
    v1::ReportedPrevalence& prevalence = *report.add_prevalences();
    prevalence.set_plan_id(file.plan().plan_id());
    prevalence.set_corpus(file.plan().plan().corpus());
    prevalence.set_releases(file.plan().plan().iterations());
    prevalence.set_epsilon(file.epsilon());
    prevalence.set_delta(file.delta());
    if (!by.by.empty()) {
      prevalence.set_attribute(by.by.front().name);
      prevalence.set_is_date(by.by.front().is_date);
    }
    prevalence.set_of_owners(file.privacy_unit() == v1::PRIVACY_UNIT_OWNER);
    for (size_t group = 0; group < by.groups.size(); ++group) AddGroup(by, group, prevalence);
    return absl::OkStatus();
  };
  if (file.attributes().empty()) return add({});
  // By one attribute at a time: groups of several are too many for a page, and too noisy.
  for (const v1::Attribute& attribute : file.attributes()) {
    TW_RETURN_IF_ERROR(add({.by = {attribute.name()}}));
  }
  return absl::OkStatus();
}

absl::Status AddComparison(const v1::ModelFile& model, const OtherModel& other,
                           v1::Report& report) {
  TW_ASSIGN_OR_RETURN(const TopicReading mine, TopicReading::Of(model));
  TW_ASSIGN_OR_RETURN(const TopicReading theirs, TopicReading::Of(other.file));
  TW_ASSIGN_OR_RETURN(const ModelMatch match, MatchModels(mine, theirs, lda::kAlike));
  v1::ReportedComparison& comparison = *report.mutable_comparison();
  comparison.set_sha256(other.sha256);
  comparison.set_is_checkpoint(other.is_checkpoint);
  comparison.set_corpus(other.file.corpus());
  comparison.set_custodian_id(other.file.custodian_id());
  comparison.set_num_topics(other.file.num_topics());
  if (std::isfinite(other.file.epsilon())) {  // as in model_facts.cc
    comparison.set_epsilon(other.file.epsilon());
    comparison.set_delta(other.file.delta());
  }
  for (const lda::TopicPair& pair : match.pairs) {
    v1::ReportedMatch& reported = *comparison.add_matches();
    reported.set_number(pair.of_a + 1);
    reported.set_other_number(pair.of_b + 1);
    reported.set_likeness(pair.likeness);
    for (const ReadWord& word :
         theirs.Words(pair.of_b, {.relevance = lda::kRelevance, .count = kOtherWords})) {
      reported.add_other_words(theirs.terms()[word.term]);
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
