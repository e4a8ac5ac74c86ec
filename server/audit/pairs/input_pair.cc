#include "server/audit/pairs/input_pair.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/csv.h"
#include "base/status_macros.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/ingest/document_reader.h"

namespace topicwall::audit {
namespace {

using corpus::DocumentFormat;

constexpr int kOthers = 20;
constexpr int kWordsOfADocument = 40;  // more than the clip norm
constexpr const char* kWords[] = {"apple", "bread", "cloud", "dance",
                                  "earth", "flame", "grape", "house"};
constexpr int kTerms = 8;  // of them
constexpr char kUnit[] = "unit";
constexpr char kNotUtf8[] = "\xff\xfe";

std::string Words(int word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, kWords[word % kTerms], " ");
  return text;
}

InputLine Json(absl::string_view id, absl::string_view owner, absl::string_view text) {
  return {
      absl::StrCat(R"({"id": ")", id, R"(", "owner": ")", owner, R"(", "text": ")", text, R"("})"),
      owner == kUnit};
}

InputLine Document(absl::string_view id, absl::string_view owner, int word) {
  return Json(id, owner, Words(word, kWordsOfADocument));
}

InputLine OfUnit(std::string text) { return {std::move(text), true}; }

// Those lines, and others, each with a document of their own.
InputPair PairOf(std::string name, std::vector<InputLine> lines) {
  for (int i = 0; i < kOthers; ++i) {
    lines.push_back(Document(absl::StrCat("other-", i), absl::StrCat("owner-", i / 2), i));
  }
  return {.name = std::move(name), .lines = std::move(lines)};
}

// One owner's documents bear the ids of a hundred others', and come before or between them.
// A rule that looks an id up without its owner gives one of them the other's document.
InputPair SameIds(std::string name, bool between) {
  std::vector<InputLine> lines;
  for (int i = 0; i < 100; ++i) {
    const InputLine own = Document(absl::StrCat("id-", i), kUnit, 0);
    const InputLine foreign = Document(absl::StrCat("id-", i), absl::StrCat("owner-of-", i), i + 1);
    const bool own_first = !between || i % 2 == 0;
    lines.push_back(own_first ? own : foreign);
    lines.push_back(own_first ? foreign : own);
  }
  return PairOf(std::move(name), std::move(lines));
}

void AddOwners(std::vector<InputPair>* pairs) {
  pairs->push_back(SameIds("an owner has the ids of a hundred others, before theirs", false));
  pairs->push_back(SameIds("an owner has the ids of a hundred others, between theirs", true));
  pairs->push_back(PairOf("ids given twice, one of them between others'",
                          {Document("twice", kUnit, 0), Document("twice", "ann", 1),
                           Document("twice", kUnit, 1), Document("twice", "ann", 2)}));
  // Owner and id that are joined without their lengths read alike.
  pairs->push_back(
      PairOf("names that run together", {Document("1x", kUnit, 0), Document("x", "unit1", 1),
                                         Document("t1x", "uni", 2), Document("unit1x", "u", 3)}));
  pairs->push_back(PairOf(
      "lines that cannot be read",
      {OfUnit(absl::StrCat(R"({"id": "b1", "owner": "unit", "text": ")", kNotUtf8, R"("})")),
       OfUnit(R"({"id": "b2", "owner": "unit", "text": "ap)"),
       OfUnit(R"({"owner": "unit", "text": "apple"})"), OfUnit(R"({"id": "b3", "owner": "unit"})"),
       Json("b4", kUnit, ""), Json("b5", kUnit, "elsewhere"),
       OfUnit(R"({"id": "b6", "id": "other-1", "owner": "unit", "text": "apple"})"),
       Json("b7", kUnit, std::string(corpus::kMaxDocumentBytes + 1, 'a')),
       Document("other-3", kUnit, 0)}));
  pairs->push_back(
      PairOf("a document of a million words", {Json("long", kUnit, Words(0, 1'000'000))}));
  std::vector<InputLine> many;
  for (int i = 0; i < 5'000; ++i) {
    many.push_back(Json(absl::StrCat("many-", i), kUnit, Words(i, 5)));
  }
  pairs->push_back(PairOf("five thousand documents of one owner", std::move(many)));
}

void AddDocuments(std::vector<InputPair>* pairs) {
  pairs->push_back(PairOf("an id on two lines, of which one goes",
                          {Document("twice", kUnit, 0), Document("twice", "ann", 1)}));
  pairs->back().one_line_of_several = true;
  pairs->push_back(PairOf("an id on three lines", {OfUnit(Document("thrice", kUnit, 0).text),
                                                   OfUnit(Document("thrice", "ann", 1).text),
                                                   OfUnit(Document("thrice", "", 2).text)}));
  // Two files that were joined, as some editors leave them.
  const std::string marked = absl::StrCat(base::kByteOrderMark, Document("b", "ann", 1).text);
  pairs->push_back(PairOf("a byte order mark on the line behind it",
                          {Document("a", kUnit, 0), {.text = marked, .of_unit = false}}));
  // Documents by number, of which one is the unit; one of the others is bad.
  pairs->push_back({.name = "a bag of words", .format = DocumentFormat::kBagOfWords, .lines = {}});
  for (int i = 1; i <= kOthers; ++i) {
    const int count = i == 13 ? 0 : 50;
    pairs->back().lines.push_back({absl::StrCat(i, " ", i % 7 + 1, " ", count), i == 12});
    pairs->back().lines.push_back({absl::StrCat(i, " 8 ", i), i == 12});
  }
  for (const std::string& text : {Words(0, kWordsOfADocument), std::string(kNotUtf8)}) {
    pairs->push_back({.name = "a file, or one that is no text",
                      .format = DocumentFormat::kTextFolder,
                      .lines = {{text, true, "below/a.txt"}}});
    for (int i = 0; i < kOthers; ++i) {
      pairs->back().lines.push_back({Words(i, kWordsOfADocument), false,
                                     absl::StrCat(i % 3 == 0 ? "below/" : "", "file-", i, ".txt")});
    }
  }
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path));
}

absl::Status Write(DocumentFormat format, const std::vector<InputLine>& lines,
                   const std::string& path) {
  std::string text;
  // As many documents as the larger input has: a number without a line is an empty document.
  if (format == DocumentFormat::kBagOfWords) {
    text = absl::StrCat(20, "\n", kTerms, "\n", lines.size(), "\n");
  }
  for (const InputLine& line : lines) {
    if (format == DocumentFormat::kTextFolder) {
      TW_RETURN_IF_ERROR(WriteFile(absl::StrCat(path, "/", line.file), line.text));
    }
    absl::StrAppend(&text, line.text, "\n");
  }
  return format == DocumentFormat::kTextFolder ? absl::OkStatus() : WriteFile(path, text);
}

// Null if ingestion refuses it.
absl::StatusOr<std::unique_ptr<corpus::CorpusStore>> Ingested(const InputPair& pair,
                                                              const std::vector<InputLine>& lines,
                                                              v1::DuplicateRule duplicates,
                                                              Attack& attack, PairReplay& replay) {
  const std::string folder = attack.NewPath("input");
  TW_RETURN_IF_ERROR(Write(pair.format, lines, folder + "/documents"));
  TW_RETURN_IF_ERROR(WriteFile(folder + "/words", absl::StrJoin(kWords, "\n") + "\n"));
  const auto report = corpus::Ingest({.format = pair.format,
                                      .documents = folder + "/documents",
                                      .vocabulary = folder + "/words",
                                      .privacy_unit = pair.privacy_unit,
                                      .strict = false,
                                      .duplicates = duplicates},
                                     replay.key(), folder + "/corpus", nullptr);
  // To refuse an input is no answer about a unit: the custodian sees it, and no corpus comes of it.
  if (absl::IsInvalidArgument(report.status())) return nullptr;
  TW_RETURN_IF_ERROR(report.status());
  auto store = corpus::CorpusStore::Open(folder + "/corpus", replay.key());
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);  // the store keeps its file open
  return store;
}

// The release that is asked of every input: nothing but documents may make a difference.
NeighbouringPair AskedOf(const InputPair& pair) {
  NeighbouringPair asked = {.name = pair.name,
                            .vocabulary_size = kTerms,
                            .others = {},
                            .unit = {},
                            .privacy_unit = pair.privacy_unit,
                            .log_topics = std::vector<float>(2 * kTerms, 0),
                            .mechanism = {.sampling_rate = 1,
                                          .noise_multiplier = 1.24,
                                          .histogram_noise_multiplier = 3,
                                          .max_words = 500,
                                          .weights = {}},
                            .clip_norm = 20};
  for (int term = 0; term < kTerms; ++term) {  // odd terms in one topic, even ones in the other
    asked.log_topics[static_cast<std::size_t>((term + 1) % 2 * kTerms + term)] = -1e4F;
  }
  return asked;
}

}  // namespace

std::vector<InputPair> InputPairsByName() {
  std::vector<InputPair> pairs;
  AddOwners(&pairs);
  const std::size_t owners = pairs.size();
  AddDocuments(&pairs);
  for (std::size_t i = owners; i < pairs.size(); ++i) {
    pairs[i].privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  }
  return pairs;
}

InputPair MakeUpInput(random::Keystream& choices) {
  const auto below = [&](int bound) {
    return static_cast<int>(choices.NextBelow(static_cast<uint64_t>(bound)));
  };
  InputPair pair = {.name = "made up", .lines = {}};
  const bool documents = below(3) == 0;
  if (documents) pair.privacy_unit = v1::PRIVACY_UNIT_DOCUMENT;
  const int owners = below(5) + 2;
  const int ids = below(8) + 1;
  for (int left = below(40) + 3; left > 0; --left) {
    const int owner = below(owners);
    const int id = below(ids);
    InputLine line = Json(absl::StrCat("id-", id), absl::StrCat("owner-", owner),
                          Words(below(8), below(60) + 1));
    // A line that is cut short must be dropped as a whole, by whoever's it is.
    if (below(8) == 0) line.text.resize(line.text.size() - 1 - below(3));  // no JSON any more
    line.of_unit = documents ? id == 0 : owner == 0;
    pair.lines.push_back(std::move(line));
  }
  return pair;
}

absl::StatusOr<std::optional<ReplayedPair>> ReplayInput(const InputPair& pair,
                                                        v1::DuplicateRule duplicates,
                                                        Attack& attack, PairReplay& replay) {
  const auto ingested = [&](const std::vector<InputLine>& lines) {
    return Ingested(pair, lines, duplicates, attack, replay);
  };
  std::vector<InputLine> unit;
  std::vector<InputLine> others;
  std::partition_copy(pair.lines.begin(), pair.lines.end(), std::back_inserter(unit),
                      std::back_inserter(others),
                      [](const InputLine& line) { return line.of_unit; });
  PairStores stores;
  TW_ASSIGN_OR_RETURN(stores.with, ingested(pair.lines));
  TW_ASSIGN_OR_RETURN(stores.without, ingested(others));
  if (stores.with == nullptr || stores.without == nullptr) return std::nullopt;
  // Without lines of its own there is no corpus of the unit alone: Compare then wants equal sums.
  if (!unit.empty()) {
    TW_ASSIGN_OR_RETURN(stores.alone, ingested(unit));
  }
  std::vector<InputLine> again = pair.lines;
  if (pair.format == DocumentFormat::kJsonLines) std::reverse(again.begin(), again.end());
  TW_ASSIGN_OR_RETURN(stores.again, ingested(again));
  if (stores.again == nullptr) {
    return absl::InternalError("an ingestion refused lines that it took in another order");
  }
  TW_ASSIGN_OR_RETURN(ReplayedPair replayed, replay.Compare(AskedOf(pair), stores));
  return replayed;
}

}  // namespace topicwall::audit
