// The analyst's lengths-….pb (client/evaluate/lengths_file.h): a plan goes on from it, and its
// numbers are told again; nobody must be led to pay twice, and nothing must fall over.
#include <cmath>
#include <optional>

#include "client/evaluate/lengths_file.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace topicwall::fuzz {
namespace {

void TellLengthsOf(const v1::LengthsFile& file) {
  const auto told = client::LengthsOf(file);
  Require(told.ok(), "what is finished can be told");
  for (const auto& range : {told->lower_quartile, told->median, told->upper_quartile, told->mean}) {
    if (!range.has_value()) continue;
    Require(range->low >= 1 && range->low <= range->high && std::isfinite(range->high),
            "lengths are of one word or more, in an interval");
  }
}

void CheckLengths(const v1::LengthsFile& file) {
  Require(file.plan().request_id().size() == client::kRequestIdSize, "there is a request id");
  Require(file.counts().empty() || !file.plan().plan_id().empty(),
          "nothing came before the reservation");
  if (client::IsFinished(file)) TellLengthsOf(file);
}

Verdict RunLengths(absl::string_view input) {
  return RunFileFuzz(input, client::ReadLengths, CheckLengths);
}

std::string LengthsWith(bool release) {
  v1::LengthsFile file;
  file.set_format_version(client::kLengthsFormatVersion);
  file.mutable_plan()->set_request_id("0123456789abcdef");
  v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
  plan.set_iterations(1);
  plan.set_sampling_rate(1);
  plan.set_model(client::kUnitLengths);
  file.set_clip_norm(1);
  for (const float edge : {2.0F, 3.0F, 10.0F}) file.add_edges(edge);
  file.set_most_words(12);
  if (release) {
    file.mutable_plan()->set_plan_id("plan");
    for (const float count : {20.0F, 70.0F, 1.5F, -2.0F}) file.add_counts(count);
    file.set_noise_standard_deviation(3);
  }
  return file.SerializeAsString();
}

std::vector<std::string> SeedsOfLengths() { return {LengthsWith(false), LengthsWith(true)}; }

[[maybe_unused]] const bool lengths_registered =
    Register({.name = "lengths_file", .run = RunLengths, .seeds = SeedsOfLengths});

}  // namespace
}  // namespace topicwall::fuzz
