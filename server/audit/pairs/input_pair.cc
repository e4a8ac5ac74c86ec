#include "server/audit/pairs/input_pair.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/corpus/ingest/document_reader.h"

namespace topicwall::audit {
namespace {

using corpus::DocumentFormat;
using corpus::PrivacyUnit;

constexpr int kOthers = 20;
constexpr int kWordsOfADocument = 40;  // more than the clip norm
constexpr char kUnit[] = "unit";
constexpr char kNotUtf8[] = "\xff\xfe";

std::string Words(std::size_t word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, InputWords()[word], " ");
  return text;
}

InputLine Json(absl::string_view id, absl::string_view owner, absl::string_view text) {
  return {
      absl::StrCat(R"({"id": ")", id, R"(", "owner": ")", owner, R"(", "text": ")", text, R"("})"),
      owner == kUnit};
}

InputLine Document(absl::string_view id, absl::string_view owner, std::size_t word) {
  return Json(id, owner, Words(word % InputWords().size(), kWordsOfADocument));
}

// Of others, each with a document of their own.
std::vector<InputLine> Neighbours() {
  std::vector<InputLine> lines;
  for (int i = 0; i < kOthers; ++i) {
    lines.push_back(Document(absl::StrCat("other-", i), absl::StrCat("owner-", i / 2),
                             static_cast<std::size_t>(i)));
  }
  return lines;
}

InputPair PairOf(std::string name, std::vector<InputLine> lines) {
  for (InputLine& line : Neighbours()) lines.push_back(std::move(line));
  return {.name = std::move(name), .lines = std::move(lines)};
}

// One owner's documents bear the ids of as many others', and come before or between them.
InputPair SameIds(std::string name, int ids, bool before) {
  std::vector<InputLine> own;
  std::vector<InputLine> foreign;
  for (int i = 0; i < ids; ++i) {
    own.push_back(Document(absl::StrCat("id-", i), kUnit, 0));
    foreign.push_back(Document(absl::StrCat("id-", i), absl::StrCat("owner-of-", i),
                               static_cast<std::size_t>(i) + 1));
  }
  std::vector<InputLine> lines;
  for (std::size_t i = 0; i < own.size(); ++i) {
    // Between: every second one behind the other's.
    const bool first = before || i % 2 == 0;
    lines.push_back(first ? own[i] : foreign[i]);
    if (!before) lines.push_back(first ? foreign[i] : own[i]);
  }
  if (before) lines.insert(lines.end(), foreign.begin(), foreign.end());
  return PairOf(std::move(name), std::move(lines));
}

// Lines of one owner that no document can be made of.
std::vector<InputLine> BadLines() {
  const auto of_unit = [](std::string text) { return InputLine{std::move(text), true}; };
  return {of_unit(absl::StrCat(R"({"id": "b1", "owner": "unit", "text": ")", kNotUtf8, R"("})")),
          of_unit(R"({"id": "b2", "owner": "unit", "text": "ap)"),
          of_unit(R"({"owner": "unit", "text": "apple"})"),
          of_unit(R"({"id": "b3", "owner": "unit"})"),
          Json("b4", kUnit, ""),
          Json("b5", kUnit, "elsewhere"),
          of_unit(R"({"id": "b6", "id": "other-1", "owner": "unit", "text": "apple"})"),
          Document("other-3", kUnit, 0)};
}

void AddOwners(std::vector<InputPair>* pairs) {
  pairs->push_back(SameIds("an owner has the id of another's document, before it", 1, true));
  pairs->push_back(SameIds("an owner has the ids of a hundred others, before theirs", 100, true));
  pairs->push_back(SameIds("an owner has the ids of a hundred others, between theirs", 100, false));
  pairs->push_back(PairOf("an owner gives an id twice",
                          {Document("twice", kUnit, 0), Document("twice", kUnit, 1)}));
  pairs->push_back(PairOf("others give an id twice, one of them between",
                          {Document("twice", "ann", 1), Document("twice", kUnit, 0),
                           Document("twice", "ann", 2), Document("twice", "bob", 3)}));
  pairs->push_back(
      PairOf("names that run together", {Document("1x", kUnit, 0), Document("x", "unit1", 1),
                                         Document("t1x", "uni", 2), Document("unit1x", "u", 3)}));
  pairs->push_back(PairOf("lines that cannot be read", BadLines()));
  pairs->push_back(PairOf("a line that is too long",
                          {Json("long", kUnit, std::string(corpus::kMaxDocumentBytes + 1, 'a')),
                           Document("short", kUnit, 0)}));
  pairs->push_back(
      PairOf("a document of a million words", {Json("long", kUnit, Words(0, 1'000'000))}));
  std::vector<InputLine> many;
  for (int i = 0; i < 5'000; ++i) {
    many.push_back(
        Json(absl::StrCat("many-", i), kUnit, Words(static_cast<std::size_t>(i) % 8, 5)));
  }
  pairs->push_back(PairOf("five thousand documents of one owner", std::move(many)));
}

void AddDocuments(std::vector<InputPair>* pairs) {
  InputPair pair = PairOf("an id on two lines, of which one goes",
                          {Document("twice", kUnit, 0), Document("twice", "ann", 1)});
  pair.privacy_unit = PrivacyUnit::kDocument;
  pair.one_line_of_several = true;
  pairs->push_back(pair);
  pair = PairOf("an id on three lines", {Document("thrice", kUnit, 0), Document("thrice", "ann", 1),
                                         Document("thrice", "", 2)});
  pair.privacy_unit = PrivacyUnit::kDocument;
  for (int i = 0; i < 3; ++i) pair.lines[static_cast<std::size_t>(i)].of_unit = true;
  pairs->push_back(pair);
}

// Twenty documents by number, of which one is the unit; one of the others is bad.
InputPair BagOfWords(std::string name, int unit) {
  InputPair pair = {.name = std::move(name),
                    .format = DocumentFormat::kBagOfWords,
                    .privacy_unit = PrivacyUnit::kDocument,
                    .lines = {}};
  for (int i = 1; i <= kOthers; ++i) {
    pair.lines.push_back({absl::StrCat(i, " ", i % 7 + 1, " ", i == 13 ? 0 : 50), i == unit});
    pair.lines.push_back({absl::StrCat(i, " 8 ", i), i == unit});
  }
  return pair;
}

InputPair Folder(std::string name, std::vector<InputLine> files) {
  InputPair pair = {.name = std::move(name),
                    .format = DocumentFormat::kTextFolder,
                    .privacy_unit = PrivacyUnit::kDocument,
                    .lines = std::move(files)};
  for (int i = 0; i < kOthers; ++i) {
    pair.lines.push_back({Words(static_cast<std::size_t>(i) % 8, kWordsOfADocument), false,
                          absl::StrCat(i % 3 == 0 ? "below/" : "", "file-", i, ".txt")});
  }
  return pair;
}

}  // namespace

const std::vector<std::string>& InputWords() {
  static const auto* const words = new std::vector<std::string>(
      {"apple", "bread", "cloud", "dance", "earth", "flame", "grape", "house"});
  return *words;
}

std::vector<InputPair> InputPairsByName() {
  std::vector<InputPair> pairs;
  AddOwners(&pairs);
  AddDocuments(&pairs);
  pairs.push_back(BagOfWords("the first document of a bag of words", 1));
  pairs.push_back(BagOfWords("one in the middle", 12));
  pairs.push_back(Folder("a file among others", {{Words(0, 40), true, "below/a.txt"}}));
  pairs.push_back(Folder("a file that is no text", {{kNotUtf8, true, "a.txt"}}));
  return pairs;
}

InputPair MakeUpInput(random::Keystream& choices) {
  const auto below = [&](uint64_t bound) { return choices.NextBelow(bound); };
  InputPair pair = {.name = "made up", .lines = {}};
  const bool documents = below(3) == 0;
  if (documents) pair.privacy_unit = PrivacyUnit::kDocument;
  const uint64_t owners = below(5) + 2;
  const uint64_t ids = below(8) + 1;
  const uint64_t lines = below(40) + 3;
  for (uint64_t i = 0; i < lines; ++i) {
    const uint64_t owner = below(owners);
    const uint64_t id = below(ids);
    InputLine line = Json(absl::StrCat("id-", id), absl::StrCat("owner-", owner),
                          Words(below(8), static_cast<int>(below(60)) + 1));
    if (below(8) == 0) line.text.resize(line.text.size() - 1 - below(3));  // no JSON any more
    line.of_unit = documents ? id == 0 : owner == 0;
    pair.lines.push_back(std::move(line));
  }
  return pair;
}

}  // namespace topicwall::audit
