// Documents as JSON lines (server/corpus/json_lines_reader.h), for both privacy units, and as the
// client reads the analyst's own (client/document_reader.h).
#include <sstream>

#include "client/document_reader.h"
#include "lda/tokenizer.h"
#include "server/corpus/json_lines_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_documents.h"

namespace topicwall::fuzz {
namespace {

Reading ReadAs(corpus::PrivacyUnit unit, const std::string& path) {
  auto reader = corpus::JsonLinesReader::Open(path, unit, FuzzVocabulary());
  Require(reader.ok(), "a file that is there can be opened");
  return ReadAllDocuments(**reader, unit == corpus::PrivacyUnit::kOwner);
}

void RequireSoundClient(const std::string& text) {
  std::istringstream stream(text);
  RequireSound(client::ReadJsonl(stream, "own.jsonl", {FuzzVocabulary(), lda::kTokenizerName}));
}

Verdict Run(absl::string_view input) {
  static MemoryFile& file = *new MemoryFile();
  file.Replace(input);
  const Reading documents = ReadAs(corpus::PrivacyUnit::kDocument, file.path());
  const Reading owned = ReadAs(corpus::PrivacyUnit::kOwner, file.path());
  Require(owned.usable <= documents.usable, "an owner is one thing more to ask for");
  Require(owned.usable + owned.with_problems == documents.usable + documents.with_problems,
          "the documents are the same for both privacy units");
  RequireSoundClient(std::string(input));
  return documents.usable > 0 ? Verdict::kAccepted : Verdict::kRefused;
}

std::vector<std::string> Seeds() {
  return {R"({"id": "n1", "owner": "ann", "text": "the cat of the dog"})",
          "{\"id\":\"n1\",\"text\":\"a cat\"}\n\n{\"id\":\"n2\",\"text\":\"\"}\nnot json\n",
          R"({"id":"\u00e9","owner":"\ud83d\ude00","text":"\u00e9t\u00e9 secretive","n":[1,{}]})"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "json_lines", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
