// How many documents there are is no input to what is timed: the size that is stated in public is,
// or nothing (command_check_config.cc).
#include "server/admin/commands/timing_checks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "model/models.h"
#include "server/admin/store_timing.h"
#include "server/executor/unit_memory.h"
#include "server/release/processors.h"
#include "server/release/resource_limits.h"
#include "server/vault/start_checks.h"
#include "server/wall_config.h"

namespace topicwall::admin {
namespace {

// A machine is not always as idle as it is now: the slowest of so many runs, times this.
constexpr int kRuns = 3;
constexpr double kBusyFactor = 2;
// What the server sets aside for storing if the configuration does not say.
constexpr int64_t kDefaultStoreMs = 30;
// A price that is worked out, the gate's buffers and the programs themselves.
constexpr double kBytesBeside = 450e6 + 256e6;

ReleaseShape LargestRelease(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                            const corpus::CorpusDescription& description) {
  const model::CorpusShape shape = corpus::ShapeOf(description);
  // Both limits hold at once: the one on parameters a term, and the one on the bytes of a matrix.
  const int64_t parameters_that_fit =
      config.max_matrix_bytes() / (shape.vocabulary_size * static_cast<int64_t>(sizeof(float)));
  const bool owner = description.privacy_unit == v1::PRIVACY_UNIT_OWNER;
  const v1::Limits& limits = corpus.limits();
  return {
      .limits = {.vocabulary_size = shape.vocabulary_size,
                 .words = limits.max_tokens(),
                 .parameters_per_term = std::max<int64_t>(
                     1, std::min<int64_t>(limits.max_parameters_per_term(), parameters_that_fit)),
                 .iterations = limits.max_model_iterations(),
                 .vector_dimension = shape.vector_dimension},
      .units = corpus.nominal_size(),
      .documents_per_unit = owner ? limits.max_documents_per_unit() : 1,
      .threads = config.e_step_threads(),
      .attribute_sizes = shape.attribute_sizes};
}

// Of the model that takes most.
absl::StatusOr<int64_t> MemoryOfRelease(const ReleaseShape& shape) {
  int64_t most = 0;
  for (const std::string& name : model::ModelNamesFor(shape.corpus())) {
    TW_ASSIGN_OR_RETURN(const std::vector<model::WorstCase> cases,
                        model::WorstCases(name, shape.limits));
    TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                        model::MakeModel(name, cases.front().options, shape.corpus()));
    most = std::max(most, executor::WorstReleaseBytes(
                              *model, {.unit = {.vocabulary_size = shape.limits.vocabulary_size,
                                                .max_words = shape.limits.words,
                                                .max_documents = shape.documents_per_unit},
                                       .has_weights = true,
                                       .num_threads = shape.threads,
                                       .attribute_sizes = shape.attribute_sizes,
                                       .vector_dimension = shape.limits.vector_dimension}));
  }
  return most;
}

// How much the server takes at most, all of it from PUBLIC numbers, and what it may take.
absl::Status CompareWithMemory(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                               const ReleaseShape& shape, CorpusFindings* findings) {
  TW_ASSIGN_OR_RETURN(const int64_t of_a_release, MemoryOfRelease(shape));
  const auto release = static_cast<double>(of_a_release);
  findings->json.SetNumber("worst_case_bytes", release);
  absl::StrAppendFormat(&findings->text, "  worst case of a release: %.0f MB of memory\n",
                        std::ceil(release / 1e6));
  double decoded = 0;
  for (const v1::CorpusConfig& each : config.corpora()) {
    decoded += static_cast<double>(each.decoded_cache_mebibytes()) * 1024 * 1024;
  }
  const double requests = static_cast<double>(server::kMatricesReceived) *
                              static_cast<double>(config.max_matrix_bytes()) +
                          static_cast<double>(server::kMostHeldBytes);
  const double needed = release + decoded + requests + kBytesBeside;
  const double has = topicwall::release::MemoryOfThisProcess();
  if (has >= needed) return absl::OkStatus();
  findings->warnings.push_back(absl::StrFormat(
      "corpora[%s]: the server may need %.0f MB, of them %.0f for a release, %.0f for "
      "decoded_cache_mebibytes and %.0f for requests and answers that wait; a process may take "
      "%.0f "
      "MB here. Where memory ends a release is refused, for nothing, and how much is left depends "
      "on "
      "the documents. Give it more, or lower e_step_threads, max_matrix_bytes, the corpus's limits "
      "or decoded_cache_mebibytes.",
      corpus.name(), std::ceil(needed / 1e6), std::ceil(release / 1e6), std::ceil(decoded / 1e6),
      std::ceil(requests / 1e6), std::floor(has / 1e6)));
  return absl::OkStatus();
}

absl::Status CompareWithStoreTime(const v1::WallConfig& config, const v1::CorpusConfig& corpus,
                                  CorpusFindings* findings) {
  TW_ASSIGN_OR_RETURN(const double measured, StoreMsPerMebibyte(config.data_directory()));
  const double wanted = std::ceil(kStoreFactor * measured);
  const int64_t given =
      corpus.has_store_ms_per_mebibyte() ? corpus.store_ms_per_mebibyte() : kDefaultStoreMs;
  findings->json.SetNumber("store_ms_per_mebibyte_wanted", wanted);
  absl::StrAppendFormat(&findings->text,
                        "  storing: %.1f ms a mebibyte measured, store_ms_per_mebibyte %d\n",
                        measured, given);
  if (!(static_cast<double>(given) >= wanted)) {
    findings->warnings.push_back(absl::StrFormat(
        "corpora[%s].store_ms_per_mebibyte must be at least %.0f on this disk, %.0f times what "
        "storing took; got %d.",
        corpus.name(), wanted, kStoreFactor, given));
  }
  return absl::OkStatus();
}

std::string TextOf(const ReleaseShape& shape, int64_t nominal_size, const ReleaseTiming& timing) {
  return absl::StrFormat(
      "slowest of %d runs, times %.0f; stated size %d, %d parameters a term, %d tokens, %d "
      "iterations; %d documents timed; of one document %s",
      kRuns, kBusyFactor, nominal_size, shape.limits.parameters_per_term, shape.limits.words,
      shape.limits.iterations, timing.documents_timed, absl::StrJoin(timing.cases, ", "));
}

std::string TooShort(const v1::CorpusConfig& corpus, double worst_ms) {
  constexpr absl::string_view kWhatToLower =
      "nominal_size, limits.max_documents_per_unit, max_tokens, max_parameters_per_term or "
      "max_model_iterations: it is about in proportion to each of them";
  const bool can_be_longer = worst_ms <= static_cast<double>(server::kMaxReleaseIntervalMs);
  return absl::StrFormat(
      "corpora[%s].release_interval_ms must be longer than the worst case of a release, about %.0f "
      "ms (%s) on this machine; got %d. %s %s. The third release that misses its instant pauses "
      "the corpus.",
      corpus.name(), worst_ms,
      absl::FormatDuration(absl::Ceil(absl::Milliseconds(worst_ms), absl::Seconds(1))),
      corpus.release_interval_ms(),
      can_be_longer ? "Lengthen it, or lower"
                    : absl::StrCat("No interval may be longer than ", server::kMaxReleaseIntervalMs,
                                   ": lower"),
      kWhatToLower);
}

}  // namespace

ReleaseTimer::ReleaseTimer(const v1::WallConfig& config, absl::Duration job_start, Outcome* outcome)
    : config_(config) {
  if (!config.has_executor()) return;
  auto job = TimedJob::Start(config, job_start);
  if (!job.ok()) {
    outcome->warnings.push_back(
        absl::StrCat("executor: not measured, and no release timed: ", job.status().message()));
    return;
  }
  job_ = *std::move(job);
  outcome->json.SetInteger("ranks", job_->num_ranks())
      .SetString("kernel", job_->kernel_name())
      .SetNumber("job_start_ms", 1000 * job_->start_seconds());
  absl::StrAppendFormat(&outcome->text, "Executor: %d ranks of kernel %s, ready within %.0f s\n",
                        job_->num_ranks(), job_->kernel_name(), job_->start_seconds());
}

void WarnOfAQuota(std::vector<std::string>* warnings) {
  const release::Processors processors = release::Processors::OfThisProcess();
  if (processors.NumFreeNow() == processors.num_free()) return;
  warnings->push_back(absl::StrFormat(
      "a control group lets this process have the time of %.2f processors, fewer than it may use: "
      "of a server in it no processor is kept free, and whoever asks it feels how long releases "
      "compute. Give it processors of its own instead of a quota (AllowedCPUs= for CPUQuota=, "
      "--cpuset-cpus for --cpus).",
      release::ProcessorsOfQuota()));
}

absl::StatusOr<ReleaseTiming> ReleaseTimer::TimeOnce(const ReleaseShape& shape) const {
  return job_ == nullptr ? TimeWorstRelease(shape) : job_->TimeWorstRelease(shape);
}

absl::StatusOr<ReleaseTiming> ReleaseTimer::TimeSlowest(const ReleaseShape& shape) const {
  TW_ASSIGN_OR_RETURN(ReleaseTiming slowest, TimeOnce(shape));
  for (int run = 1; run < kRuns; ++run) {
    TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, TimeOnce(shape));
    if (timing.seconds > slowest.seconds) slowest = timing;
  }
  return slowest;
}

absl::Status ReleaseTimer::CompareWithInterval(const v1::CorpusConfig& corpus,
                                               const ReleaseShape& shape,
                                               CorpusFindings* findings) const {
  // As the server computes: off the processors that it keeps free.
  const release::Processors processors = release::Processors::OfThisProcess();
  // The threads that are started from here on inherit it.
  processors.KeepFree();
  // The error, if there is one, is looked at below: this thread must have its processors back
  // first.
  const absl::StatusOr<ReleaseTiming> timed = TimeSlowest(shape);
  processors.UseAll();
  TW_ASSIGN_OR_RETURN(const ReleaseTiming timing, timed);
  // A job that dies while it sums is started again, and the next one sums anew: that must fit, too.
  const double once = 1000 * kBusyFactor * timing.seconds;
  const double milliseconds =
      std::ceil(job_ == nullptr ? once : 2 * once + 1000 * job_->start_seconds());
  findings->json.SetNumber("worst_case_ms", milliseconds)
      .SetInteger("release_interval_ms", corpus.release_interval_ms());
  if (job_ != nullptr) {
    absl::StrAppendFormat(&findings->text,
                          "  worst case of a sum by the job: %.0f ms; below is another start of "
                          "it, and that twice\n",
                          std::ceil(once));
  }
  absl::StrAppendFormat(
      &findings->text, "  worst case of a release: %.0f ms (%s), release_interval_ms %d\n",
      milliseconds, TextOf(shape, corpus.nominal_size(), timing), corpus.release_interval_ms());
  if (!(static_cast<double>(corpus.release_interval_ms()) >= milliseconds)) {
    findings->warnings.push_back(TooShort(corpus, milliseconds));
  }
  return absl::OkStatus();
}

absl::Status ReleaseTimer::Check(const v1::CorpusConfig& corpus,
                                 const corpus::CorpusDescription& description,
                                 CorpusFindings* findings) const {
  const ReleaseShape shape = LargestRelease(config_, corpus, description);
  TW_RETURN_IF_ERROR(CompareWithMemory(config_, corpus, shape, findings));
  if (corpus.timing_protection() == v1::TIMING_PROTECTION_NONE) {
    findings->warnings.push_back(
        absl::StrCat("corpora[", corpus.name(),
                     "].timing_protection is NONE: the time of a release depends on "
                     "the documents. Only for analysts you trust with that."));
    return absl::OkStatus();
  }
  TW_RETURN_IF_ERROR(CompareWithStoreTime(config_, corpus, findings));
  if (!corpus.has_nominal_size()) {
    absl::StrAppend(&findings->text,
                    "  no nominal_size is stated, so the worst case of a release is not timed\n");
    return absl::OkStatus();
  }
  if (config_.has_executor() && job_ == nullptr) return absl::OkStatus();  // as was said
  return CompareWithInterval(corpus, shape, findings);
}

}  // namespace topicwall::admin
