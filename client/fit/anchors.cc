#include "client/fit/anchors.h"

#include <google/protobuf/struct.pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/topics/topic_labels.h"
#include "proto/json_line.h"

namespace topicwall::client {
namespace {

constexpr int64_t kMaxAnchorsBytes = int64_t{1} << 24;

absl::Status OtherShape() {
  return absl::InvalidArgumentError(
      "anchors must be one JSON object of names and lists of words, as {\"heart\": [\"cardiac\", "
      "\"ecg\"]}.");
}

absl::StatusOr<v1::Anchor> AnchorOf(const std::string& name, const google::protobuf::Value& words) {
  TW_RETURN_IF_ERROR(CheckLabel(name));
  if (!words.has_list_value()) return OtherShape();
  std::set<std::string> sorted;
  for (const google::protobuf::Value& word : words.list_value().values()) {
    if (!word.has_string_value()) return OtherShape();
    sorted.insert(word.string_value());
  }
  if (sorted.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("anchor \"", name, "\" must have a word at least; it has none."));
  }
  v1::Anchor anchor;
  anchor.set_name(name);
  anchor.mutable_words()->Assign(sorted.begin(), sorted.end());
  return anchor;
}

}  // namespace

absl::StatusOr<Anchors> ParseAnchors(const std::string& json) {
  const std::optional<google::protobuf::Struct> object = proto::JsonObjectOf(json);
  if (!object.has_value() || object->fields().empty()) return OtherShape();
  // Sorted: a Struct has its fields in no order, and number j must mean the same in every run.
  const std::map<std::string, google::protobuf::Value> sorted(object->fields().begin(),
                                                              object->fields().end());
  Anchors anchors;
  for (const auto& [name, words] : sorted) {
    TW_ASSIGN_OR_RETURN(v1::Anchor anchor, AnchorOf(name, words));
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

absl::StatusOr<Anchors> ReadAnchors(const std::string& path) {
  TW_ASSIGN_OR_RETURN(const std::string json, base::ReadWholeFile(path, kMaxAnchorsBytes));
  absl::StatusOr<Anchors> anchors = ParseAnchors(json);
  if (anchors.ok()) return anchors;
  return absl::Status(anchors.status().code(),
                      absl::StrCat(path, ": ", anchors.status().message()));
}

std::string AnchorsJson(const Anchors& anchors) {
  base::JsonObject object;
  for (const v1::Anchor& anchor : anchors) {
    object.SetStrings(anchor.name(), {anchor.words().begin(), anchor.words().end()});
  }
  return object.Text();
}

absl::StatusOr<lda::AnchorTerms> AnchorTermsOf(const Anchors& anchors,
                                               const lda::Vocabulary& vocabulary, int num_topics) {
  if (anchors.size() > static_cast<size_t>(num_topics)) {
    return absl::InvalidArgumentError(absl::StrCat("topics must be at least as many as anchors, ",
                                                   anchors.size(), "; got ", num_topics, "."));
  }
  lda::AnchorTerms all;
  for (const v1::Anchor& anchor : anchors) {
    std::vector<uint32_t>& terms = all.emplace_back();
    for (const std::string& word : anchor.words()) {
      const std::optional<uint32_t> term = vocabulary.Find(word);
      if (!term.has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "words of anchors must be of the word list; \"", word, "\" of anchor \"", anchor.name(),
            "\" is not. `topicwall vocabulary CORPUS` prints that of a corpus."));
      }
      terms.push_back(*term);
    }
  }
  return all;
}

lda::AnchorTerms AnchorTermsOf(const v1::DenoisedState& state) {
  lda::AnchorTerms anchors;
  for (const v1::AnchorTerms& anchor : state.anchors()) {
    anchors.emplace_back(anchor.terms().begin(), anchor.terms().end());
  }
  return anchors;
}

}  // namespace topicwall::client
