// A corpus file that somebody with the disk, but without the key, has edited
// (server/corpus/corpus_store.h): it is either the corpus that was ingested, to the last count, or
// one error with always the same words.
//
// Input: edits (edited_file.h).
#include "server/corpus/corpus_store.h"
#include "tests/fuzz/edited_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/server/corpus/small_corpus.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::fuzz {
namespace {

constexpr int kDocuments = 300;  // two blocks

struct World {
  World() : key(corpus::NewKey()), path(directory.path() + "/notes.corpus") {
    const auto written = corpus::WriteCorpus(path, corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT),
                                             corpus::PlainDocuments(kDocuments), key);
    Require(written.ok(), "a small corpus can be written");
    version = written->version;
    units = *corpus::ReadUnits(path, key);
    file = std::make_unique<EditedFile>(path);
  }

  testing::TemporaryDirectory directory;
  sealing::CustodianKey key;
  std::string path;
  corpus::CorpusVersion version;
  corpus::PlainUnits units;
  std::unique_ptr<EditedFile> file;
};

void RequireSameCorpus(const World& world, const corpus::CorpusStore& store) {
  Require(store.description().version == world.version, "its version is the one it was given");
  Require(
      store.vocabulary().terms() == corpus::ParamsOf(v1::PRIVACY_UNIT_DOCUMENT).vocabulary->terms(),
      "its vocabulary is the one it was given");
  const absl::StatusOr<corpus::PlainUnits> units = corpus::ReadUnits(store);
  Require(units.ok() && *units == world.units, "every unit is as it was ingested");
}

Verdict RefuseInOneWay(const World& world, const absl::Status& status) {
  Require(status == corpus::UnsealableCorpus(world.path), "every damage is the same error");
  return Verdict::kRefused;
}

Verdict Run(absl::string_view input) {
  static World world;  // destroyed at exit, and its folder removed with it
  world.file->Edit(input);
  const auto store = corpus::CorpusStore::Open(world.path, world.key);
  if (!store.ok()) return RefuseInOneWay(world, store.status());
  const absl::Status whole = (*store)->VerifyAll();
  if (whole.ok()) {
    RequireSameCorpus(world, **store);
    return Verdict::kAccepted;
  }
  corpus::UnitBlock block;
  corpus::CorpusStore::ReadSpace space;
  for (int number = 0; number < (*store)->num_blocks(); ++number) {
    const absl::Status read = (*store)->ReadBlock(number, &block, &space);
    if (read.ok()) continue;
    RefuseInOneWay(world, read);
    Require(block.size() == 0, "a block that cannot be read is empty");
  }
  return RefuseInOneWay(world, whole);
}

// What changes nothing is accepted; what does is for the fuzzer.
std::vector<std::string> Seeds() {
  return {"", BitTurned(5000, 3) + BitTurned(5000, 3), BitTurned(100, 0) + BitTurned(100, 0)};
}

[[maybe_unused]] const bool registered =
    Register({.name = "corpus_file", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
