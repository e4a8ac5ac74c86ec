// The analyst's prevalence-….pb (client/evaluate/prevalence_file.h): a plan goes on from it, and
// its numbers are told again; nobody must be led to pay twice, and nothing must fall over.
#include <cmath>

#include "client/evaluate/prevalence_file.h"
#include "client/evaluate/wall_prevalence.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"
#include "model/prevalence/prevalence_estimate.h"
#include "proto/matrix_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace topicwall::fuzz {
namespace {

void TellOf(const v1::PrevalenceFile& file) {
  const auto sums = client::SumsOf(file, {});
  if (!sums.ok()) return;  // noise or numbers that are none
  for (const prevalence::GroupPrevalence& group : prevalence::EstimatePrevalence(*sums)) {
    for (const prevalence::TopicPrevalence& topic : group.topics) {
      Require(topic.interval.low >= 0 && topic.interval.high <= 1, "a share is between 0 and 1");
      Require(group.none == std::isnan(topic.share), "a share is told or it is not");
    }
  }
}

void Check(const v1::PrevalenceFile& file) {
  Require(file.plan().request_id().size() == client::kRequestIdSize, "there is a request id");
  Require(file.releases_size() <= file.plan().plan().iterations(), "no more came than was planned");
  Require(file.releases_size() == 0 || !file.plan().plan_id().empty(),
          "nothing came before the reservation");
  if (file.releases_size() > 0) TellOf(file);
}

Verdict Run(absl::string_view input) { return RunFileFuzz(input, client::ReadPrevalence, Check); }

std::string PrevalenceOf(int releases) {
  v1::PrevalenceFile file;
  file.set_format_version(client::kPrevalenceFormatVersion);
  file.mutable_plan()->set_request_id("0123456789abcdef");
  v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
  plan.set_iterations(2);
  plan.set_sampling_rate(1);
  plan.set_model(client::kPrevalence);
  v1::PrevalenceOptions options;
  options.mutable_topics()->set_num_topics(2);
  options.add_attributes(0);
  plan.set_options(options.SerializeAsString());
  v1::Attribute& ward = *file.add_attributes();
  ward.set_name("ward");
  ward.add_values("north");
  if (releases > 0) file.mutable_plan()->set_plan_id("plan");
  for (int release = 0; release < releases; ++release) {
    file.add_releases(proto::FloatsToLittleEndian({60, 40, 100, 1, 0, 1}));
  }
  file.set_clip_norm(1.1);
  file.set_documents_per_unit(1);
  file.set_noise_standard_deviation(3);
  return file.SerializeAsString();
}

std::vector<std::string> Seeds() { return {PrevalenceOf(0), PrevalenceOf(1), PrevalenceOf(2)}; }

[[maybe_unused]] const bool registered =
    Register({.name = "prevalence_file", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
