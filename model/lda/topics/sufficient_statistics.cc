#include "model/lda/topics/sufficient_statistics.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace topicwall::lda {
namespace {

// Where each of `some` is in `all`; both ascending, and all of `some` in `all`.
void Locate(absl::Span<const uint32_t> some, absl::Span<const uint32_t> all,
            std::vector<size_t>* places) {
  places->clear();
  size_t place = 0;
  for (const uint32_t wanted : some) {
    while (all[place] < wanted) ++place;
    places->push_back(place);
  }
}

}  // namespace

void UnitStatistic::Reset(int num_topics) {
  num_topics_ = static_cast<size_t>(num_topics);
  terms_.clear();
  topics_.clear();
  row_numbers_.clear();
  rows_.clear();
  rows_are_in_order_ = true;
}

void UnitStatistic::Reserve(int num_topics, size_t num_terms, bool several_documents) {
  const auto topics = static_cast<size_t>(num_topics);
  // These three change places with each other.
  for (std::vector<uint32_t>* list : {&terms_, &topics_, &merged_}) {
    list->resize(std::max(num_terms, topics));
  }
  row_numbers_.resize(num_terms);
  merged_row_numbers_.resize(num_terms);
  places_.resize(topics);
  rows_.resize(num_terms * topics);
  if (several_documents) moved_rows_.resize(num_terms * topics);
  Reset(num_topics);
}

size_t UnitStatistic::BytesReserved(size_t num_topics, size_t num_terms, bool several_documents) {
  return (several_documents ? 2 : 1) * num_terms * num_topics * sizeof(float) +
         3 * std::max(num_terms, num_topics) * sizeof(uint32_t) +
         (2 * num_terms + num_topics) * sizeof(size_t);
}

absl::Span<const float> UnitStatistic::rows(std::vector<float>* copy) const {
  if (rows_are_in_order_) return rows_;
  copy->clear();
  for (size_t i = 0; i < terms_.size(); ++i) {
    copy->insert(copy->end(), row(i).begin(), row(i).end());
  }
  return *copy;
}

void UnitStatistic::Add(DocumentView document, const EStep::Workspace& workspace) {
  constexpr int64_t kAnyTerm = int64_t{1} << 32;
  if (workspace.num_rows() == 0 || workspace.num_rows() != document.size() ||
      workspace.gamma().size() != num_topics_ || !IsCanonical(document, kAnyTerm)) {
    return;
  }
  if (terms_.empty()) return AddFirst(document, workspace);
  AddTopics(workspace.topics());
  AddTerms(document);
  Locate(workspace.topics(), topics_, &places_);
  size_t i = 0;
  for (size_t j = 0; j < document.size(); ++j) {
    while (terms_[i] < document[j].term) ++i;
    float* sum = rows_.data() + row_numbers_[i] * topics_.size();
    const absl::Span<const float> row = workspace.row(j);
    for (size_t a = 0; a < row.size(); ++a) sum[places_[a]] += row[a];
  }
}

void UnitStatistic::AddFirst(DocumentView document, const EStep::Workspace& workspace) {
  terms_.resize(document.size());
  for (size_t j = 0; j < document.size(); ++j) terms_[j] = document[j].term;
  topics_.assign(workspace.topics().begin(), workspace.topics().end());
  row_numbers_.resize(document.size());
  std::iota(row_numbers_.begin(), row_numbers_.end(), size_t{0});
  const float* rows = workspace.row(0).data();  // all rows lie behind each other
  rows_.assign(rows, rows + document.size() * topics_.size());
}

// Widens every row where `topics` has one that is new.
void UnitStatistic::AddTopics(absl::Span<const uint32_t> topics) {
  merged_.clear();
  std::set_union(topics_.begin(), topics_.end(), topics.begin(), topics.end(),
                 std::back_inserter(merged_));
  if (merged_.size() == topics_.size()) return;
  Locate(topics_, merged_, &places_);
  moved_rows_.assign(terms_.size() * merged_.size(), 0.0f);
  for (size_t i = 0; i < terms_.size(); ++i) {
    for (size_t a = 0; a < topics_.size(); ++a) {
      moved_rows_[i * merged_.size() + places_[a]] = rows_[i * topics_.size() + a];
    }
  }
  rows_.swap(moved_rows_);
  topics_.swap(merged_);
}

// Gives every term of `document` that is new a row of zeros. Both lists are strictly ascending, so
// their merge is.
void UnitStatistic::AddTerms(DocumentView document) {
  merged_.clear();
  merged_row_numbers_.clear();
  size_t num_rows = terms_.size();
  size_t i = 0;
  const auto keep = [this, &i] {
    merged_.push_back(terms_[i]);
    merged_row_numbers_.push_back(row_numbers_[i++]);
  };
  for (const TermCount& entry : document) {
    while (i < terms_.size() && terms_[i] < entry.term) keep();
    if (i < terms_.size() && terms_[i] == entry.term) {
      keep();
    } else {
      merged_.push_back(entry.term);
      merged_row_numbers_.push_back(num_rows++);
    }
  }
  while (i < terms_.size()) keep();
  rows_are_in_order_ = rows_are_in_order_ && num_rows == terms_.size();
  rows_.resize(num_rows * topics_.size(), 0.0f);
  terms_.swap(merged_);
  row_numbers_.swap(merged_row_numbers_);
}

}  // namespace topicwall::lda
