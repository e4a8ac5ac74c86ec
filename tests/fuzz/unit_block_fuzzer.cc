// server/corpus/unit_block.h: "whatever the bytes, a block that was parsed is safe to use".
#include "server/corpus/unit_block.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

constexpr int64_t kVocabularySize = 300;

void RequireSafe(const corpus::UnitBlock& block) {
  for (int unit = 0; unit < block.size(); ++unit) {
    Require(unit == 0 || block.id(unit - 1) < block.id(unit), "unit ids ascend strictly");
    Require(block.num_documents(unit) >= 1, "a unit has a document");
    for (int i = 0; i < block.num_documents(unit); ++i) {
      const lda::DocumentView document = block.document(unit, i);
      Require(!document.empty() && lda::IsCanonical(document, kVocabularySize),
              "a document is canonical and not empty");
    }
  }
}

corpus::UnitBlock CopyOf(const corpus::UnitBlock& block) {
  corpus::UnitBlock copy;
  for (int unit = 0; unit < block.size(); ++unit) {
    copy.AddUnit(block.id(unit));
    for (int i = 0; i < block.num_documents(unit); ++i) copy.AddDocument(block.document(unit, i));
  }
  return copy;
}

Verdict Run(absl::string_view input) {
  static corpus::UnitBlock& block =
      *new corpus::UnitBlock();  // as a reader uses it: again and again
  if (!block.Parse(input, kVocabularySize)) {
    Require(block.size() == 0 && block.ids().empty(), "a block that was refused is empty");
    return Verdict::kRefused;
  }
  RequireSafe(block);
  Require(block.Serialize() == input, "bytes that are accepted are the only ones of their block");
  Require(CopyOf(block).Serialize() == input, "the accessors show all of a block");
  return Verdict::kAccepted;
}

std::vector<std::string> Seeds() {
  corpus::UnitBlock block;
  std::vector<std::string> seeds = {block.Serialize()};
  random::UnitId id = {};
  for (const uint8_t unit : std::vector<uint8_t>{1, 2, 7}) {
    id[0] = unit;
    block.AddUnit(id);
    for (uint32_t i = 0; i < unit; ++i) {
      block.AddDocument(
          std::vector<lda::TermCount>{{.term = i, .count = unit}, {.term = 299, .count = 1}});
    }
    seeds.push_back(block.Serialize());
  }
  return seeds;
}

[[maybe_unused]] const bool registered =
    Register({.name = "unit_block", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
