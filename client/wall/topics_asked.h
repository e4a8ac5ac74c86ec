// What a plan asks of topics: the options of the models "lda" and "document_completion", and of
// "multinomial_mixture", whose components are topics too, of "gaussian_mixture" and
// "gaussian_likelihood", whose components are counted like topics, and of "prevalence".
//
//   AskTopics(kLda, options, &plan);
//   TopicsOf(plan).document_topic_prior()
//   NumTopics(plan)      // of any of these
//
// PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_CLIENT_WALL_TOPICS_ASKED_H_
#define TOPICWALL_CLIENT_WALL_TOPICS_ASKED_H_

#include "proto/models/gaussian.pb.h"
#include "proto/models/lda.pb.h"
#include "proto/models/mixture.pb.h"
#include "proto/models/prevalence.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

inline constexpr char kLda[] = "lda";
inline constexpr char kDocumentCompletion[] = "document_completion";
inline constexpr char kMultinomialMixture[] = "multinomial_mixture";
inline constexpr char kGaussianMixture[] = "gaussian_mixture";
inline constexpr char kGaussianLikelihood[] = "gaussian_likelihood";
inline constexpr char kPrevalence[] = "prevalence";
inline constexpr char kUnitLengths[] = "unit_lengths";  // which asks for no topics

// Of no topics if the plan's model is another one, or its options do not parse.
inline v1::LdaOptions TopicsOf(const v1::ReleaseSpec& plan) {
  v1::LdaOptions options;
  const bool of_topics = plan.model() == kLda || plan.model() == kDocumentCompletion;
  if (!of_topics || !options.ParseFromString(plan.options())) options.Clear();
  return options;
}

inline void AskTopics(const char* model, const v1::LdaOptions& options, v1::ReleaseSpec* plan) {
  plan->set_model(model);
  plan->set_options(options.SerializeAsString());
}

// As TopicsOf, of the model "prevalence".
inline v1::PrevalenceOptions PrevalenceOf(const v1::ReleaseSpec& plan) {
  v1::PrevalenceOptions options;
  if (plan.model() != kPrevalence || !options.ParseFromString(plan.options())) options.Clear();
  return options;
}

// 0 of a plan of another model.
inline int NumTopics(const v1::ReleaseSpec& plan) {
  if (plan.model() == kPrevalence) return PrevalenceOf(plan).topics().num_topics();
  v1::GaussianOptions gaussians;
  if (plan.model() == kGaussianMixture || plan.model() == kGaussianLikelihood) {
    return gaussians.ParseFromString(plan.options()) ? gaussians.num_components() : 0;
  }
  v1::MixtureOptions options;
  if (plan.model() != kMultinomialMixture) return TopicsOf(plan).num_topics();
  return options.ParseFromString(plan.options()) ? options.num_components() : 0;
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_TOPICS_ASKED_H_
