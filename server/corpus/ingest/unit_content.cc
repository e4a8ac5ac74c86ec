#include "server/corpus/ingest/unit_content.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace topicwall::corpus {
namespace {

// Entries of several lines, in any order, as one document. The result does not depend on the order:
// both rules are sums of a kind.
void Combine(DuplicateRule rule, std::vector<lda::TermCount>* entries) {
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
    count = rule == DuplicateRule::kLeaveOut
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
  }
  ++num_lines_;
  entries_.insert(entries_.end(), line.counts.begin(), line.counts.end());
  return repeats ? std::optional(first_line_) : std::nullopt;
}

const UnitBlock& UnitContent::Finish() {
  EndDocument();
  return unit_;
}

void UnitContent::EndDocument() {
  if (num_lines_ == 0) return;
  if (num_lines_ > 1) Combine(duplicates_, &entries_);
  num_lines_ = 0;
  const bool first = unit_.num_documents(0) == 0;
  full_ = full_ || (!first && unit_.num_entries() + entries_.size() > kEntriesPerBlock);
  if (!full_) unit_.AddDocument(entries_);
}

}  // namespace topicwall::corpus
