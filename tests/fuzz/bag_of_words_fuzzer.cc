// Documents as counts: the custodian's reader (server/corpus/ingest/bag_of_words_reader.h) and the
// client's of the same format (client/evaluate/document_reader.h).
#include <sstream>

#include "client/evaluate/document_reader.h"
#include "server/corpus/ingest/bag_of_words_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_documents.h"

namespace topicwall::fuzz {
namespace {

// The client makes an empty document of each that is announced; so that this measures the reader
// and not the memory, not for files that announce millions.
bool AnnouncesFew(absl::string_view text) { return text.substr(0, text.find('\n')).size() <= 4; }

void RequireSoundClient(const std::string& text) {
  std::istringstream stream(text);
  RequireSound(client::ReadUci(stream, "own.txt", FuzzVocabulary()));
}

Verdict Run(absl::string_view input) {
  static MemoryFile& file = *new MemoryFile();
  file.Replace(input);
  if (AnnouncesFew(input)) RequireSoundClient(std::string(input));
  auto reader = corpus::BagOfWordsReader::Open(file.path(), FuzzVocabulary());
  if (!reader.ok()) return Refuse(reader.status(), FileRules());
  if (input.substr(0, input.find('\n')).size() > 7) return Verdict::kRefused;  // takes minutes
  const Reading reading = ReadAllDocuments(**reader, /*owner_required=*/false);
  return reading.usable > 0 ? Verdict::kAccepted : Verdict::kRefused;
}

std::vector<std::string> Seeds() {
  return {"2\n8\n3\n1 1 2\n1 8 1\n2 3 7\n", "3\n8\n1\n2 2 4294967295\n",
          "1\r\n8\r\n2\r\n1 4 1\r\n1 2 1"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "bag_of_words", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
