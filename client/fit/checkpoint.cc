// A checkpoint is believed when it could have come about: each stage has its request only after the
// stages before are done, its reservation only after its request, and iterations only after that.
// What could not is refused as a whole. To guess how far a fit had come would be to pay for some of
// it twice, or to leave out what was paid.
#include "client/fit/checkpoint.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "client/fit/fit_algorithm.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"

namespace topicwall::client {
namespace {

absl::Status NoCheckpoint(absl::string_view path, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is no readable checkpoint: ", why, "."));
}

// One stage after the other; of each a request, then a reservation, then iterations.
absl::Status CheckStages(const v1::CheckpointFile& checkpoint, absl::string_view path) {
  bool may_begin = true;  // all stages before are done
  for (const v1::FitStage& stage : checkpoint.stages()) {
    const v1::FitPlan& plan = stage.plan();
    const bool requested = !plan.request_id().empty(), reserved = !plan.plan_id().empty();
    const int done = stage.iterations_done(), all = plan.plan().iterations();
    if ((requested && plan.request_id().size() != kRequestIdSize) || all < 1 ||
        NumTopics(plan.plan()) < 1) {
      return NoCheckpoint(path, "a request or a plan is incomplete");
    }
    if (done < 0 || done > all || (done > 0 && !reserved) || (reserved && !requested) ||
        (requested && !may_begin)) {
      return NoCheckpoint(path, "its iterations contradict its plans");
    }
    may_begin = done == all;
  }
  // The file is first written when the first request has its id (trainer.cc), so there is none
  // without.
  if (!checkpoint.stages().empty() && !checkpoint.stages(0).plan().request_id().empty()) {
    return absl::OkStatus();
  }
  return NoCheckpoint(path, "a request or a plan is incomplete");
}

}  // namespace

absl::StatusOr<v1::CheckpointFile> NewCheckpoint(const FitSpec& spec,
                                                 const std::vector<v1::FitStage>& stages,
                                                 const lda::Vocabulary& vocabulary) {
  TW_ASSIGN_OR_RETURN(const FitMethod* const method, FindMethod(spec.algorithm));
  v1::CheckpointFile checkpoint;
  checkpoint.set_format_version(kCheckpointFormatVersion);
  // No defaults are applied from here on: what the command did not say was decided before, and
  // stands.
  *checkpoint.mutable_spec() = RecordOf(spec);
  checkpoint.set_vocabulary_size(static_cast<int64_t>(vocabulary.size()));
  checkpoint.mutable_stages()->Assign(stages.begin(), stages.end());
  checkpoint.mutable_model()->mutable_terms()->Assign(vocabulary.terms().begin(),
                                                      vocabulary.terms().end());
  TW_ASSIGN_OR_RETURN(*checkpoint.mutable_state(), method->initial_state(spec, vocabulary));
  // Whatever lda would refuse later must be refused before anything is paid.
  TW_RETURN_IF_ERROR(RestoreAlgorithm(checkpoint).status());
  return checkpoint;
}

absl::StatusOr<v1::CheckpointFile> ParseCheckpoint(absl::string_view bytes,
                                                   absl::string_view path) {
  const auto parse = [&bytes](auto* message) {
    return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  };
  // The version by itself first. In another format a field may have another type under its number,
  // and "does not parse" would send nobody to the program that can read it.
  v1::FormatVersion version;
  if (!parse(&version)) return NoCheckpoint(path, "its bytes do not parse");
  if (version.format_version() != kCheckpointFormatVersion) {
    return NoCheckpoint(
        path, absl::StrCat("format_version must be ", kCheckpointFormatVersion, "; got ",
                           version.format_version(),
                           ". Finish the fit with the version of topicwall that began it"));
  }
  v1::CheckpointFile checkpoint;
  if (!parse(&checkpoint)) return NoCheckpoint(path, "its bytes do not parse");
  const absl::Status algorithm = FindMethod(checkpoint.spec().algorithm()).status();
  if (!algorithm.ok()) return NoCheckpoint(path, absl::StripSuffix(algorithm.message(), "."));
  if (checkpoint.vocabulary_size() < 1 ||
      checkpoint.vocabulary_size() > std::numeric_limits<int>::max()) {
    return NoCheckpoint(path, "it has no vocabulary");
  }
  // The last field: without it what was paid may be missing, too.
  if (checkpoint.model().terms_size() != checkpoint.vocabulary_size()) {
    return NoCheckpoint(path, "its end is missing");
  }
  TW_RETURN_IF_ERROR(CheckStages(checkpoint, path));
  return checkpoint;
}

}  // namespace topicwall::client
