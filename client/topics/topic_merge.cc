#include "client/topics/topic_merge.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "client/fit/model_file.h"
#include "client/topics/topic_masses.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/topic_model.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

// λ of each place.
std::vector<float> MergedParameters(const lda::TopicModel& model, absl::Span<const double> priors,
                                    const std::vector<int>& places, size_t merged_topics) {
  const auto terms = static_cast<size_t>(model.vocabulary_size());
  std::vector<double> sums(merged_topics * terms), largest(sums.size());
  std::vector<int> members(merged_topics);
  for (int k = 0; k < model.num_topics(); ++k) {
    const auto place = static_cast<size_t>(places[static_cast<size_t>(k)]);
    const absl::Span<const float> lambda = model.topic(k);
    ++members[place];
    for (size_t v = 0; v < terms; ++v) {
      double& most = largest[place * terms + v];
      sums[place * terms + v] += lambda[v];
      most = std::max<double>(most, lambda[v]);
    }
  }
  std::vector<float> parameters(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    // Each λ holds the prior once, and the merged one should, too. Never below the largest of
    // them, where one is less than the prior.
    const double beyond = sums[i] - (members[i / terms] - 1) * priors[i % terms];
    parameters[i] = static_cast<float>(std::max(beyond, largest[i]));
  }
  return parameters;
}

// How large topics were before they were merged: after it λ alone would say another size, also of
// those that nobody merged. Those of a file that was merged before are the sums that it has.
absl::StatusOr<v1::MergedTopics> SizesOf(const v1::ModelFile& file, const lda::TopicModel& model) {
  v1::MergedTopics sizes = file.merged();
  if (file.has_merged()) return sizes;
  TW_ASSIGN_OR_RETURN(const std::optional<ModelNoise> noise, NoiseOf(file));
  if (noise.has_value() && file.component_weights().empty()) {
    const lda::NoisyTopics noisy = noise->topics(model.num_topics());
    TW_RETURN_IF_ERROR(lda::CheckNoisyTopics(noisy));
    const std::vector<double> masses = lda::TopicMasses(noisy);
    const std::vector<double> variances = lda::MassVariances(noisy);
    sizes.mutable_masses()->Assign(masses.begin(), masses.end());
    sizes.mutable_mass_variances()->Assign(variances.begin(), variances.end());
  } else {
    const std::vector<double> masses = MassesBeyondPrior(file, model);
    sizes.mutable_masses()->Assign(masses.begin(), masses.end());
  }
  if (file.term_probabilities().empty()) {
    const std::vector<double> marginal = lda::MarginalTermProbabilities(model);
    sizes.mutable_term_probabilities()->Assign(marginal.begin(), marginal.end());
  }
  return sizes;
}

// What each topic has, added up by place.
template <typename Of>
std::vector<double> Added(const std::vector<int>& places, size_t merged_topics, const Of& of) {
  std::vector<double> sums(merged_topics);
  for (size_t k = 0; k < places.size(); ++k) sums[static_cast<size_t>(places[k])] += of(k);
  return sums;
}

void AddUp(const std::vector<int>& places, size_t merged_topics,
           google::protobuf::RepeatedField<double>& numbers) {
  if (numbers.empty()) return;
  const std::vector<double> sums =
      Added(places, merged_topics, [&numbers](size_t k) { return numbers[static_cast<int>(k)]; });
  numbers.Assign(sums.begin(), sums.end());
}

}  // namespace

absl::StatusOr<std::vector<int>> PlacesAfterMerge(int num_topics, const TopicGroups& groups) {
  std::vector<int> first(static_cast<size_t>(num_topics));  // of the group that a topic is in
  std::iota(first.begin(), first.end(), 0);
  std::vector<bool> named(first.size());
  for (const std::vector<int>& group : groups) {
    if (group.size() < 2) {
      return absl::InvalidArgumentError("topics to merge must be two or more.");
    }
    const int least = *std::min_element(group.begin(), group.end());
    for (const int topic : group) {
      if (topic < 0 || topic >= num_topics) {
        return absl::InvalidArgumentError(
            absl::StrCat("topics must be in 1 to ", num_topics, "; got ", topic + 1, "."));
      }
      if (named[static_cast<size_t>(topic)]) {
        return absl::InvalidArgumentError(
            absl::StrCat("topics to merge must be named once; got ", topic + 1, " twice."));
      }
      named[static_cast<size_t>(topic)] = true;
      first[static_cast<size_t>(topic)] = least;
    }
  }
  std::vector<int> places(first.size());
  int next = 0;
  for (size_t k = 0; k < first.size(); ++k) {
    const auto leader = static_cast<size_t>(first[k]);
    // A group's first topic comes before its others, so its place is known by then.
    places[k] = leader == k ? next++ : places[leader];
  }
  return places;
}

absl::StatusOr<v1::ModelFile> MergeTopics(const v1::ModelFile& file, const TopicGroups& groups) {
  TW_ASSIGN_OR_RETURN(const lda::TopicModel model, ModelOf(file));
  TW_ASSIGN_OR_RETURN(const std::vector<int> places, PlacesAfterMerge(model.num_topics(), groups));
  const auto topics = static_cast<size_t>(*std::max_element(places.begin(), places.end())) + 1;
  v1::ModelFile merged = file;
  merged.set_num_topics(static_cast<int>(topics));
  merged.set_topic_parameters(
      proto::FloatsToLittleEndian(MergedParameters(model, TermPriors(file), places, topics)));
  const std::vector<double> alphas =
      Added(places, topics, [&model](size_t k) { return model.document_topic_prior().of(k); });
  merged.mutable_document_topic_prior()->Assign(alphas.begin(), alphas.end());
  AddUp(places, topics, *merged.mutable_component_weights());
  TW_ASSIGN_OR_RETURN(*merged.mutable_merged(), SizesOf(file, model));
  AddUp(places, topics, *merged.mutable_merged()->mutable_masses());
  // The noise of different topics is independent.
  AddUp(places, topics, *merged.mutable_merged()->mutable_mass_variances());
  // Of topics that are no more: what is read from noise would be of other ones.
  merged.clear_noisy_statistics();
  merged.clear_noise_deviations();
  merged.clear_mass_deviations();
  merged.clear_warm_start();
  // Other topics have their numbers now; who has the labels hands them on.
  if (merged.has_spec()) merged.mutable_spec()->clear_anchors();
  return merged;
}

}  // namespace topicwall::client
