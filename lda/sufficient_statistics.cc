#include "lda/sufficient_statistics.h"

namespace topicwall::lda {

void UnitStatistic::Reset(int num_topics) {
  num_topics_ = static_cast<size_t>(num_topics);
  terms_.clear();
  row_numbers_.clear();
  rows_.clear();
}

size_t UnitStatistic::AppendRow() {
  const size_t number = rows_.size() / num_topics_;
  rows_.resize(rows_.size() + num_topics_, 0.0f);
  return number;
}

void UnitStatistic::Add(DocumentView document, const EStep::Workspace& workspace) {
  constexpr int64_t kAnyTerm = int64_t{1} << 32;
  if (workspace.num_rows() == 0 || workspace.num_rows() != document.size() ||
      workspace.gamma().size() != num_topics_ || !IsCanonical(document, kAnyTerm)) {
    return;
  }
  // Both lists are strictly ascending, so their merge is.
  merged_terms_.clear();
  merged_row_numbers_.clear();
  size_t i = 0;
  for (size_t j = 0; j < document.size(); ++j) {
    const uint32_t term = document[j].term;
    for (; i < terms_.size() && terms_[i] < term; ++i) {
      merged_terms_.push_back(terms_[i]);
      merged_row_numbers_.push_back(row_numbers_[i]);
    }
    merged_terms_.push_back(term);
    if (i < terms_.size() && terms_[i] == term) {
      merged_row_numbers_.push_back(row_numbers_[i++]);
    } else {
      merged_row_numbers_.push_back(AppendRow());
    }
    float* sum = rows_.data() + merged_row_numbers_.back() * num_topics_;
    const absl::Span<const float> row = workspace.row(j);
    for (size_t a = 0; a < row.size(); ++a) sum[workspace.topics()[a]] += row[a];
  }
  for (; i < terms_.size(); ++i) {
    merged_terms_.push_back(terms_[i]);
    merged_row_numbers_.push_back(row_numbers_[i]);
  }
  terms_.swap(merged_terms_);
  row_numbers_.swap(merged_row_numbers_);
}

}  // namespace topicwall::lda
