// server/corpus/unit_block.h: "whatever the bytes, a block that was parsed is safe to use".
#include "model/data/bounded_vector.h"
#include "server/corpus/unit_block.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {
namespace {

constexpr int64_t kVocabularySize = 300;

// Every input is read as a block of each.
const std::vector<model::CorpusShape>& Shapes() {
  static const auto& shapes = *new std::vector<model::CorpusShape>{
      {.vocabulary_size = kVocabularySize},
      {.vocabulary_size = kVocabularySize, .attribute_sizes = {3, 300}},
      {.vocabulary_size = 3, .vector_dimension = 3},
      {.vocabulary_size = 1, .attribute_sizes = {3, 300}, .vector_dimension = 1}};
  return shapes;
}

void RequireSafe(const corpus::UnitBlock& block, const model::CorpusShape& shape) {
  const std::vector<int>& attribute_sizes = shape.attribute_sizes;
  for (int unit = 0; unit < block.size(); ++unit) {
    Require(unit == 0 || block.id(unit - 1) < block.id(unit), "unit ids ascend strictly");
    Require(block.num_documents(unit) >= 1, "a unit has a document");
    for (int i = 0; i < block.num_documents(unit); ++i) {
      const lda::DocumentView document = block.document(unit, i);
      const absl::Span<const float> vector = block.vector(unit, i);
      Require(document.empty() == (shape.vector_dimension > 0) &&
                  lda::IsCanonical(document, shape.vocabulary_size),
              "a document of text is canonical and not empty");
      Require(vector.size() == static_cast<size_t>(shape.vector_dimension) &&
                  model::IsWithinBound(vector),
              "a vector has all its numbers and is within the bound");
      const absl::Span<const uint16_t> values = block.attributes(unit, i);
      Require(values.size() == attribute_sizes.size(), "a document has a value of each attribute");
      for (size_t a = 0; a < values.size(); ++a) {
        Require(values[a] < attribute_sizes[a], "a value is one of its attribute's");
      }
    }
  }
}

corpus::UnitBlock CopyOf(const corpus::UnitBlock& block) {
  corpus::UnitBlock copy;
  for (int unit = 0; unit < block.size(); ++unit) {
    copy.AddUnit(block.id(unit));
    for (int i = 0; i < block.num_documents(unit); ++i) {
      copy.AddDocument(block.document(unit, i), block.attributes(unit, i), block.vector(unit, i));
    }
  }
  return copy;
}

Verdict RunOn(absl::string_view input, const model::CorpusShape& shape) {
  static corpus::UnitBlock& block =
      *new corpus::UnitBlock();  // as a reader uses it: again and again
  if (!block.Parse(input, shape)) {
    Require(block.size() == 0 && block.ids().empty(), "a block that was refused is empty");
    return Verdict::kRefused;
  }
  RequireSafe(block, shape);
  Require(block.Serialize() == input, "bytes that are accepted are the only ones of their block");
  Require(CopyOf(block).Serialize() == input, "the accessors show all of a block");
  return Verdict::kAccepted;
}

Verdict Run(absl::string_view input) {
  Verdict verdict = Verdict::kRefused;
  for (const model::CorpusShape& shape : Shapes()) {
    if (RunOn(input, shape) == Verdict::kAccepted) verdict = Verdict::kAccepted;
  }
  return verdict;
}

std::vector<std::string> Seeds() {
  corpus::UnitBlock block;
  corpus::UnitBlock with_values;
  corpus::UnitBlock vectors;
  std::vector<std::string> seeds = {block.Serialize()};
  random::UnitId id = {};
  for (const uint8_t unit : std::vector<uint8_t>{1, 2, 7}) {
    id[0] = unit;
    block.AddUnit(id);
    with_values.AddUnit(id);
    vectors.AddUnit(id);
    for (uint32_t i = 0; i < unit; ++i) {
      const std::vector<lda::TermCount> counts = {{.term = i, .count = unit},
                                                  {.term = 299, .count = 1}};
      block.AddDocument(counts);
      with_values.AddDocument(
          counts, std::vector<uint16_t>{static_cast<uint16_t>(i % 3), static_cast<uint16_t>(299)});
    }
    seeds.push_back(block.Serialize());
    seeds.push_back(with_values.Serialize());
    vectors.AddDocument({}, {}, std::vector<float>{0.5, -0.0F, 0.5F / static_cast<float>(unit)});
    seeds.push_back(vectors.Serialize());
  }
  return seeds;
}

[[maybe_unused]] const bool registered =
    Register({.name = "unit_block", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
