#include "server/audit/pairs/input_replay.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "server/corpus/ingest/corpus_importer.h"

namespace topicwall::audit {
namespace {

using corpus::DocumentFormat;

constexpr int kTopics = 2;

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

std::string TextOf(DocumentFormat format, const std::vector<InputLine>& lines) {
  std::string text;
  if (format == DocumentFormat::kBagOfWords) {
    // As many documents as the larger input has: a number without a line is an empty document.
    absl::StrAppend(&text, 20, "\n", InputWords().size(), "\n", lines.size(), "\n");
  }
  for (const InputLine& line : lines) absl::StrAppend(&text, line.text, "\n");
  return text;
}

absl::Status Write(DocumentFormat format, const std::vector<InputLine>& lines,
                   const std::string& path) {
  if (format != DocumentFormat::kTextFolder) return WriteFile(path, TextOf(format, lines));
  for (const InputLine& file : lines) {
    TW_RETURN_IF_ERROR(WriteFile(absl::StrCat(path, "/", file.file), file.text));
  }
  return absl::OkStatus();
}

// The release that is asked of every input: nothing but documents may make a difference.
NeighbouringPair AskedOf(const InputPair& pair) {
  const auto terms = static_cast<int>(InputWords().size());
  NeighbouringPair asked = {.name = pair.name,
                            .vocabulary_size = terms,
                            .others = {},
                            .unit = {},
                            .privacy_unit = pair.privacy_unit,
                            .log_topics = {},
                            .mechanism = {.sampling_rate = 1,
                                          .noise_multiplier = 1.24,
                                          .histogram_noise_multiplier = 3,
                                          .max_words = 500,
                                          .weights = {}},
                            .clip_norm = 20};
  for (int topic = 0; topic < kTopics; ++topic) {
    for (int term = 0; term < terms; ++term) {
      asked.log_topics.push_back(term % kTopics == topic ? 0 : -1e4F);
    }
  }
  return asked;
}

std::vector<InputLine> LinesWhere(const InputPair& pair, bool of_unit) {
  std::vector<InputLine> lines;
  for (const InputLine& line : pair.lines) {
    if (line.of_unit == of_unit) lines.push_back(line);
  }
  return lines;
}

}  // namespace

absl::StatusOr<std::unique_ptr<InputReplay>> InputReplay::Create(ScratchFolder* folder) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<PairReplay> replay, PairReplay::Create(folder));
  std::string vocabulary = folder->NewPath("vocabulary");
  TW_RETURN_IF_ERROR(WriteFile(vocabulary, absl::StrCat(absl::StrJoin(InputWords(), "\n"), "\n")));
  return std::unique_ptr<InputReplay>(
      new InputReplay(folder, std::move(replay), std::move(vocabulary)));
}

absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> InputReplay::Ingested(
    const InputPair& pair, const std::vector<InputLine>& lines, corpus::DuplicateRule duplicates) {
  const std::string documents = folder_->NewPath("input");
  const std::string output = folder_->NewPath("corpus");
  TW_RETURN_IF_ERROR(Write(pair.format, lines, documents));
  const auto report = corpus::Ingest({.format = pair.format,
                                      .documents = documents,
                                      .vocabulary = vocabulary_,
                                      .privacy_unit = pair.privacy_unit,
                                      .strict = false,
                                      .duplicates = duplicates},
                                     replay_->key(), output, nullptr);
  std::error_code ignored;
  std::filesystem::remove_all(documents, ignored);
  if (absl::IsInvalidArgument(report.status())) return nullptr;
  if (!report.ok()) return report.status();
  auto store = corpus::CorpusStore::Open(output, replay_->key());
  std::filesystem::remove(output, ignored);  // the store keeps it open
  return store;
}

absl::StatusOr<std::optional<ReplayedPair>> InputReplay::Run(const InputPair& pair,
                                                             corpus::DuplicateRule duplicates) {
  PairStores stores;
  TW_ASSIGN_OR_RETURN(stores.with, Ingested(pair, pair.lines, duplicates));
  TW_ASSIGN_OR_RETURN(stores.without, Ingested(pair, LinesWhere(pair, false), duplicates));
  if (stores.with == nullptr || stores.without == nullptr) return std::nullopt;
  const std::vector<InputLine> unit = LinesWhere(pair, true);
  if (!unit.empty()) {
    TW_ASSIGN_OR_RETURN(stores.alone, Ingested(pair, unit, duplicates));
  }
  std::vector<InputLine> again = pair.lines;
  if (pair.format == DocumentFormat::kJsonLines) std::reverse(again.begin(), again.end());
  TW_ASSIGN_OR_RETURN(stores.again, Ingested(pair, again, duplicates));
  if (stores.again == nullptr) {
    return absl::InternalError("an ingestion refused lines that it took in another order");
  }
  TW_ASSIGN_OR_RETURN(ReplayedPair replayed, replay_->Compare(AskedOf(pair), stores));
  return replayed;
}

}  // namespace topicwall::audit
