// A folder with one text (server/corpus/ingest/text_folder_reader.h) of any content.
#include <unistd.h>

#include "server/corpus/ingest/text_folder_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/source_documents.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::fuzz {
namespace {

// A link to a file in memory: links to files are followed.
struct Folder {
  Folder() {
    Require(::symlink(text.path().c_str(), (directory.path() + "/note.txt").c_str()) == 0,
            "a link can be made in a temporary folder");
  }
  testing::TemporaryDirectory directory;
  MemoryFile text;
};

Verdict Run(absl::string_view input) {
  static Folder folder;  // destroyed at exit, and the folder removed with it
  folder.text.Replace(input);
  auto reader = corpus::TextFolderReader::Open(folder.directory.path(), FuzzVocabulary());
  Require(reader.ok(), "a folder that is there can be listed");
  const Reading reading = ReadAllDocuments(**reader, /*owner_required=*/false);
  Require(reading.usable + reading.with_problems == 1, "every text of the folder is one document");
  return reading.usable == 1 ? Verdict::kAccepted : Verdict::kRefused;
}

std::vector<std::string> Seeds() {
  return {"the cat of the dog\n", std::string("cat\0dog", 7), "\xC3\xA9t\xC3\xA9 secretive"};
}

[[maybe_unused]] const bool registered =
    Register({.name = "text_folder", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
