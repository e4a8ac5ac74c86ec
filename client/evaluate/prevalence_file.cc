#include "client/evaluate/prevalence_file.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/evaluate/paid_plan.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/wall/paid_release.h"
#include "client/wall/topics_asked.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxPrevalenceBytes = int64_t{1} << 30;
constexpr char kName[] = "prevalence";

// (K + 1)·G of checked attributes; nothing if it is more than a file holds.
std::optional<int64_t> EntriesOf(const v1::PrevalenceFile& file) {
  int64_t entries = NumTopics(file.plan().plan()) + int64_t{1};
  for (const model::Attribute& attribute : AttributesOf(file.attributes())) {
    // Without overflow: below 2^32 before it, times at most 65,535 values (attributes.h).
    entries *= model::NumValues(attribute);
    if (entries > kMaxPrevalenceBytes) return std::nullopt;
  }
  return entries;
}

// Of whole floats.
bool AreFinite(const std::string& release) {
  const auto sums = proto::FloatsFromLittleEndian(release);
  return sums.ok() &&
         std::all_of(sums->begin(), sums->end(), [](float sum) { return std::isfinite(sum); });
}

// What is read without a further look.
bool IsWhole(const v1::PrevalenceFile& file) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  if (file.format_version() != kPrevalenceFormatVersion ||
      file.plan().request_id().size() != kRequestIdSize || plan.model() != kPrevalence ||
      NumTopics(plan) < 1 || plan.iterations() < 1 || !(file.clip_norm() > 0) ||
      !(plan.sampling_rate() > 0) ||
      PrevalenceOf(plan).attributes_size() != file.attributes_size() ||
      !model::CheckAttributes(AttributesOf(file.attributes())).ok()) {
    return false;
  }
  if (file.releases_size() > plan.iterations() ||
      (file.releases_size() > 0 && file.plan().plan_id().empty())) {
    return false;
  }
  const std::optional<int64_t> entries = EntriesOf(file);
  return entries.has_value() &&
         std::all_of(file.releases().begin(), file.releases().end(),
                     [&entries](const std::string& release) {
                       return static_cast<int64_t>(release.size() / sizeof(float)) == *entries &&
                              release.size() % sizeof(float) == 0 && AreFinite(release);
                     });
}

// Of sums by `by` alone, of one entry.
double VarianceBy(const v1::PrevalenceFile& file, const std::vector<std::string>& by) {
  double merged = 1;
  for (const model::Attribute& attribute : AttributesOf(file.attributes())) {
    if (std::find(by.begin(), by.end(), attribute.name) == by.end()) {
      merged *= model::NumValues(attribute);
    }
  }
  return std::pow(file.noise_standard_deviation() / file.plan().plan().sampling_rate(), 2) *
         merged / file.releases_size();
}

bool Knows(const v1::PrevalenceFile& file, const std::string& name) {
  return std::any_of(file.attributes().begin(), file.attributes().end(),
                     [&name](const v1::Attribute& one) { return one.name() == name; });
}

// C is of so many documents, and of no more than the wall takes (wall_prevalence.h).
bool AreOf(const std::optional<double>& wish, double documents, const v1::PrevalenceFile& file) {
  if (!wish.has_value()) return true;
  const auto taken = static_cast<double>(file.documents_per_unit());
  // To an ulp or two, by which a quotient differs.
  return std::fabs(*wish / documents - 1) < 1e-9 ||
         std::fabs(std::min(*wish, taken) / documents - 1) < 1e-9;
}

bool Answers(const v1::PrevalenceFile& file, const PrevalenceWish& wish,
             const v1::ModelFile& model) {
  const v1::ReleaseSpec& plan = file.plan().plan();
  const double documents = file.clip_norm() / std::hypot(1.0, double{kDocumentColumnWeight});
  return IsFinished(file) && plan.corpus() == wish.corpus &&
         file.topics_sha256() == TopicsSha256(model) &&
         wish.releases.value_or(plan.iterations()) == plan.iterations() &&
         wish.sampling_rate.value_or(plan.sampling_rate()) == plan.sampling_rate() &&
         wish.max_words.value_or(plan.max_tokens()) == plan.max_tokens() &&
         AreOf(wish.typical_documents, documents, file) &&
         std::all_of(wish.by.begin(), wish.by.end(),
                     [&file](const std::string& name) { return Knows(file, name); });
}

}  // namespace

std::string PrevalencePath(const std::string& directory, const PrevalenceWish& wish,
                           const v1::ModelFile& model) {
  base::Sha256 hash;
  hash.UpdateString("topicwall.client.prevalence");
  hash.UpdateString(wish.corpus);
  hash.UpdateInteger(wish.by.size());
  for (const std::string& name : wish.by) hash.UpdateString(name);
  UpdateWithNoise(wish.noise, &hash);
  hash.UpdateInteger(static_cast<uint64_t>(wish.releases.value_or(1)));
  hash.UpdateNumber(wish.sampling_rate.value_or(1));
  // 0 stands for what is left open: nobody can ask for it (CheckWish).
  hash.UpdateNumber(wish.typical_documents.value_or(0));
  hash.UpdateInteger(static_cast<uint64_t>(wish.max_words.value_or(0)));
  hash.UpdateString(TopicsSha256(model));
  return PaidPath(directory, kName, std::move(hash));
}

absl::StatusOr<std::optional<v1::PrevalenceFile>> ReadPrevalence(const std::string& path) {
  return ReadPaid<v1::PrevalenceFile>(path, kName, IsWhole);
}

bool IsFinished(const v1::PrevalenceFile& file) {
  return file.releases_size() == file.plan().plan().iterations();
}

absl::StatusOr<std::optional<v1::PrevalenceFile>> FindPaid(const std::string& directory,
                                                           const PrevalenceWish& wish,
                                                           const v1::ModelFile& model) {
  std::optional<v1::PrevalenceFile> best;
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> paths, FilesBeside(directory, kName));
  for (const std::string& path : paths) {
    TW_ASSIGN_OR_RETURN(std::optional<v1::PrevalenceFile> file, ReadPrevalence(path));
    if (!file.has_value() || !Answers(*file, wish, model)) continue;
    // By these attributes alone: a file of more of them adds up the noise of all cells that it
    // merges.
    if (best.has_value() && VarianceBy(*best, wish.by) <= VarianceBy(*file, wish.by)) continue;
    best = std::move(file);
  }
  return best;
}

std::vector<model::Attribute> AttributesOf(
    const google::protobuf::RepeatedPtrField<v1::Attribute>& attributes) {
  std::vector<model::Attribute> result;
  for (const v1::Attribute& attribute : attributes) {
    result.push_back({.name = attribute.name(),
                      .values = {attribute.values().begin(), attribute.values().end()},
                      .is_date = attribute.is_date()});
  }
  return result;
}

}  // namespace topicwall::client
