// The sorter gives a unit's lines together, and in them the lines of one name together. So one
// document is open at a time: its lines' entries are collected, and when another name or the end
// comes they are combined and added.
//
// Nothing here may ask about another unit, count over units or keep anything from one to the next:
// that a unit's content follows from its own lines is what makes one unit more in the input one
// unit more in the corpus, and the sensitivity of a release is stated for that.
#include "server/corpus/ingest/unit_content.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace topicwall::corpus {
namespace {

// Entries of several lines, in any order, as one document. The result does not depend on the order:
// both rules are sums of a kind. A sum that stays at the largest count does so in any order, too.
void Combine(v1::DuplicateRule rule, std::vector<lda::TermCount>* entries) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  std::sort(entries->begin(), entries->end(),
            [](const lda::TermCount& a, const lda::TermCount& b) { return a.term < b.term; });
  size_t kept = 0;
  for (const lda::TermCount& entry : *entries) {
    if (kept == 0 || (*entries)[kept - 1].term != entry.term) {
      (*entries)[kept++] = entry;
      continue;
    }
    uint32_t& count = (*entries)[kept - 1].count;
    count = rule == v1::DUPLICATE_RULE_LEAVE_OUT
                ? std::max(count, entry.count)
                : static_cast<uint32_t>(std::min(kMost, uint64_t{count} + entry.count));
  }
  entries->resize(kept);
}

}  // namespace

void UnitContent::Begin(const random::UnitId& unit) {
  unit_.Clear();
  unit_.AddUnit(unit);
  full_ = false;
  num_lines_ = 0;
}

std::optional<int64_t> UnitContent::Add(const DocumentSorter::Document& line) {
  const bool repeats = num_lines_ > 0 && name_ == line.document;
  if (!repeats) {
    EndDocument();
    name_ = line.document;
    first_line_ = line.line;
    entries_.clear();
    attributes_.assign(line.attributes.begin(), line.attributes.end());
    vector_.assign(line.vector.begin(), line.vector.end());
  } else {
    FoldAttributes(line.attributes);
  }
  ++num_lines_;
  entries_.insert(entries_.end(), line.counts.begin(), line.counts.end());
  return repeats ? std::optional(first_line_) : std::nullopt;
}

// No order has a say: two values that differ lead to "other", also if one of them is that, and no
// line leads away from it.
void UnitContent::FoldAttributes(absl::Span<const uint16_t> line) {
  for (size_t a = 0; a < attributes_.size(); ++a) {
    const auto other = static_cast<uint16_t>(attribute_sizes_[a] - 1);
    if (attributes_[a] != line[a]) attributes_[a] = other;
  }
}

const UnitBlock& UnitContent::Finish() {
  EndDocument();
  return unit_;
}

void UnitContent::EndDocument() {
  if (num_lines_ == 0) return;
  // One line's counts are canonical as they are.
  if (num_lines_ > 1) Combine(duplicates_, &entries_);
  num_lines_ = 0;
  const bool first = unit_.num_documents(0) == 0;
  // Once a document does not fit, none behind it is taken, though it may be small: the unit holds
  // the beginning of its documents in the order of their names. The first is always taken, or a
  // unit could be empty; over a large vocabulary it alone may be more than the bound.
  const size_t entries = entries_.size() + vector_.size();
  full_ = full_ || (!first && unit_.num_entries() + entries > kEntriesPerBlock);
  if (!full_) unit_.AddDocument(entries_, attributes_, vector_);
}

}  // namespace topicwall::corpus
