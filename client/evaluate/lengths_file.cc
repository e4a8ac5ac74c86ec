#include "client/evaluate/lengths_file.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/evaluate/paid_plan.h"
#include "client/fit/model_directory.h"
#include "client/wall/mock_custodian.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"

namespace topicwall::client {
namespace {

constexpr char kLengthsName[] = "lengths";

// What is read without a further look.
bool IsWholeOfLengths(const v1::LengthsFile& file) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  if (file.format_version() != kLengthsFormatVersion ||
      file.plan().request_id().size() != kRequestIdSize || plan.model() != kUnitLengths ||
      plan.iterations() != 1 || !(file.clip_norm() > 0) || file.edges().empty()) {
    return false;
  }
  // Begun, and its release still to be fetched.
  if (file.counts().empty()) return true;
  return !file.plan().plan_id().empty() && LengthsOf(file).ok();
}

}  // namespace

std::string LengthsPath(const std::string& directory, const LengthsWish& wish) {
  base::Sha256 asked;
  asked.UpdateString("topicwall.client.lengths");
  asked.UpdateString(wish.corpus);
  UpdateWithNoise(wish.noise, &asked);
  return PaidPath(directory, kLengthsName, std::move(asked));
}

absl::StatusOr<std::optional<v1::LengthsFile>> ReadLengths(const std::string& path) {
  return ReadPaid(path, kLengthsName, &IsWholeOfLengths);
}

bool IsFinished(const v1::LengthsFile& file) { return !file.counts().empty(); }

namespace {

// A mock's is made up, however little noise it has.
bool TellsMore(const v1::LengthsFile& file, const v1::LengthsFile& other) {
  if (IsMock(file.custodian_id()) != IsMock(other.custodian_id()))
    return IsMock(other.custodian_id());
  return file.noise_standard_deviation() < other.noise_standard_deviation();
}

}  // namespace

absl::StatusOr<std::optional<v1::LengthsFile>> FindMeasured(const std::string& directory,
                                                            const std::string& corpus) {
  std::optional<v1::LengthsFile> best;
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBeside(directory, kLengthsName));
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(std::optional<v1::LengthsFile> file, ReadLengths(path));
    if (!file.has_value() || !IsFinished(*file)) continue;
    if (file->plan().plan().corpus() != corpus) continue;
    if (!best.has_value() || TellsMore(*file, *best)) best = std::move(file);
  }
  return best;
}

absl::StatusOr<lengths::LengthEstimate> LengthsOf(const v1::LengthsFile& file) {
  return lengths::EstimateLengths({.counts = {file.counts().begin(), file.counts().end()},
                                   .edges = {file.edges().begin(), file.edges().end()},
                                   .most = file.most_words(),
                                   .deviation = file.noise_standard_deviation()});
}

std::optional<lengths::LengthRange> TypicalLength(const v1::LengthsFile& file,
                                                  const lengths::LengthEstimate& told) {
  return file.privacy_unit() == v1::PRIVACY_UNIT_OWNER ? told.lower_quartile : told.median;
}

absl::StatusOr<double> MeasuredWords(const std::string& directory, const std::string& corpus,
                                     bool is_mock) {
  TW_ASSIGN_OR_RETURN(const std::optional<v1::LengthsFile> file, FindMeasured(directory, corpus));
  if (!file.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("words-per-unit must be a number of at least 1, or a folder that `topicwall "
                     "lengths ",
                     corpus, " --out FOLDER` has measured it into; got ", directory,
                     ", which holds no finished measurement of ", corpus, "."));
  }
  if (IsMock(file->custodian_id()) && !is_mock) {
    return absl::InvalidArgumentError(
        absl::StrCat("words-per-unit must be a measurement of the corpus; ", directory,
                     " holds a MOCK's, of documents that do not exist. Measure into another "
                     "folder."));
  }
  TW_ASSIGN_OR_RETURN(const lengths::LengthEstimate told, LengthsOf(*file));
  const std::optional<lengths::LengthRange> typical = TypicalLength(*file, told);
  if (typical.has_value()) return typical->value;
  return absl::FailedPreconditionError(
      absl::StrCat("the noise of the measurement in ", directory,
                   " is as large as what was counted, and no words-per-unit can be told. Measure "
                   "again with a larger --spend, or give a number."));
}

}  // namespace topicwall::client
