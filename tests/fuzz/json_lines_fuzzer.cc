// Documents as JSON lines (server/corpus/ingest/json_lines_reader.h), for both privacy units, or as
// the client reads the analyst's own (client/evaluate/document_reader.h).
//
// Input: a byte, odd for the client, then the file.
#include <sstream>

#include "absl/strings/str_cat.h"
#include "client/evaluate/document_reader.h"
#include "model/data/bounded_vector.h"
#include "model/data/tokenizer.h"
#include "server/corpus/ingest/json_lines_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_documents.h"

namespace topicwall::fuzz {
namespace {

Reading ReadAs(v1::PrivacyUnit unit, const std::string& path) {
  static const auto& attributes = *new std::vector<model::Attribute>{
      {.name = "n", .values = {"1", "one"}},
      {.name = "day", .values = {"2024-02-28", "2024-02-29", "2024-03-01"}, .is_date = true}};
  auto reader = corpus::JsonLinesReader::Open(path, unit, FuzzVocabulary(), attributes);
  Require(reader.ok(), "a file that is there can be opened");
  return ReadAllDocuments(**reader, unit == v1::PRIVACY_UNIT_OWNER, model::SizesOf(attributes));
}

Verdict ReadByClient(absl::string_view text) {
  std::istringstream stream{std::string(text)};
  const auto documents =
      client::ReadJsonl(stream, "own.jsonl", {FuzzVocabulary(), lda::kTokenizerName});
  RequireSound(documents);
  return documents.ok() ? Verdict::kAccepted : Verdict::kRefused;
}

// The same lines as vectors.
void RequireSoundVectors(const std::string& path) {
  const model::VectorSpace space = {.dimension = 2, .norm_bound = 1.5};
  auto reader =
      corpus::JsonLinesReader::Open(path, v1::PRIVACY_UNIT_DOCUMENT, FuzzVocabulary(), {}, space);
  Require(reader.ok(), "a file that is there can be opened");
  corpus::SourceDocument document = {};
  for (int i = 0; i < kMostDocuments && *(*reader)->Next(&document); ++i) {
    if (document.problem != corpus::Problem::kNone) continue;
    Require(document.vector.size() == 2 && model::IsWithinBound(document.vector),
            "a vector that is taken is within the bound");
  }
}

Verdict ReadByServer(absl::string_view text) {
  static MemoryFile& file = *new MemoryFile();
  file.Replace(text);
  RequireSoundVectors(file.path());
  const Reading documents = ReadAs(v1::PRIVACY_UNIT_DOCUMENT, file.path());
  const Reading owned = ReadAs(v1::PRIVACY_UNIT_OWNER, file.path());
  Require(owned.usable <= documents.usable, "an owner is one thing more to ask for");
  Require(owned.usable + owned.with_problems == documents.usable + documents.with_problems,
          "the documents are the same for both privacy units");
  return documents.usable > 0 ? Verdict::kAccepted : Verdict::kRefused;
}

Verdict Run(absl::string_view input) {
  InputCursor cursor(input);
  const bool by_client = cursor.Take<uint8_t>() % 2 == 1;
  return by_client ? ReadByClient(cursor.Rest()) : ReadByServer(cursor.Rest());
}

std::vector<std::string> Seeds() {
  const std::string plain = R"({"id": "n1", "owner": "ann", "text": "the cat of the dog"})";
  const std::string escaped =
      R"({"id":"\u00e9","owner":"\ud83d\ude00","text":"\u00e9t\u00e9 secretive","n":[1,{}]})";
  return {
      absl::StrCat("0", plain),
      absl::StrCat("1", plain),
      absl::StrCat("0", escaped),
      absl::StrCat("1", escaped),
      R"(0{"id": "n1", "owner": "ann", "text": "the cat", "vector": [-3e2, 0.25]})",
      R"(0{"id": "n1", "owner": "ann", "text": "the cat", "n": 1.0, "day": "2024-02-29T08:00"})",
      "0{\"id\":\"n1\",\"text\":\"a cat\"}\n\n{\"id\":\"n2\",\"text\":\"\"}\nnot json\n"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "json_lines", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
