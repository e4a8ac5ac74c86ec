// What the sealed corpus holds of one privacy unit: a function of that unit's own lines, as a
// multiset, and of public constants. No other line, and no order of lines, has a say in it; so one
// unit more or less in the input is one unit more or less in the corpus, with all its documents.
//
//   UnitContent content(v1::DUPLICATE_RULE_MERGE, attribute_sizes);
//   content.Begin(unit);
//   for (line of the unit, by name and line number) content.Add(line);
//   const UnitBlock& one_unit = content.Finish();
//
// Lines of one name (unit_naming.h) are one document:
//   merge      the counts of a term are added; a sum beyond 2^32 - 1 stays there;
//   leave out  a term has its largest count among the lines: what two lines both say is said
//              once, and where they differ nothing that either says is lost.
// Under both it has the value of an attribute on which all its lines agree, and "other" of one on
// which they differ: once two have differed it stays, whatever a third one says.
// Where the rule is to refuse there is no such line in a corpus: Add reports it and the ingestion
// is refused. It is the one rule for vectors: nothing that two of one name could be together would
// be what a line says.
//
// A unit of more than kEntriesPerBlock entries (unit_block.h) is cut: its documents are taken in
// the order of their names, which are keyed hashes, up to the first that does not fit. The first
// of all is always taken whole.
//
// PRIVATE. Threads: one thread's object. Cost: a copy; lines of one name are sorted together.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_UNIT_CONTENT_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_UNIT_CONTENT_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "model/data/document.h"
#include "server/corpus/corpus_description.h"
#include "server/corpus/ingest/document_sorter.h"
#include "server/corpus/unit_block.h"
#include "server/random/unit_id.h"

namespace topicwall::corpus {

class UnitContent {
 public:
  // `attribute_sizes`: CorpusShape's (model/data/corpus_shape.h).
  UnitContent(v1::DuplicateRule duplicates, std::vector<int> attribute_sizes)
      : duplicates_(duplicates), attribute_sizes_(std::move(attribute_sizes)) {}

  // Whether Begin was called for `unit` and no other since.
  bool IsOf(const random::UnitId& unit) const { return unit_.size() == 1 && unit_.id(0) == unit; }

  void Begin(const random::UnitId& unit);

  // A line of the unit, in the order of DocumentSorter::ForEach. The number of the first line of
  // the same name, if there was one.
  std::optional<int64_t> Add(const DocumentSorter::Document& line);

  // The whole unit, alone in a block; valid until Begin. Empty before the first Begin.
  const UnitBlock& Finish();

  // Whether documents of the finished unit did not fit.
  bool was_cut() const { return full_; }

 private:
  void FoldAttributes(absl::Span<const uint16_t> line);
  void EndDocument();

  const v1::DuplicateRule duplicates_;
  const std::vector<int> attribute_sizes_;
  UnitBlock unit_;
  bool full_ = false;
  // The document whose lines are being added:
  int64_t num_lines_ = 0;
  int64_t first_line_ = 0;
  random::UnitId name_ = {};
  std::vector<lda::TermCount> entries_;
  std::vector<uint16_t> attributes_;
  std::vector<float> vector_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_UNIT_CONTENT_H_
