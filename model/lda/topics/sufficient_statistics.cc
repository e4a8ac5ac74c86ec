// Most units are one document, which is copied as the E-step left it. Further ones merge: new
// topics make every row longer (AddTopics), new terms get rows behind the others, in no order
// (AddTerms), and Finish sorts rows once. An index over all columns says meanwhile where the row of
// a term is: to look for it among the unit's, or to move the rows that there are, would cost an
// owner's terms for each of his documents, which may be hundreds of times a document's.
#include "model/lda/topics/sufficient_statistics.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace topicwall::lda {
namespace {

constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();

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

void UnitStatistic::Reset(const Shape& shape, model::SparseStatistic* statistic) {
  shape_ = shape;
  statistic_ = statistic;
  statistic_->Clear();
  // Of a unit that was not finished.
  if (is_indexed_) std::fill(index_.begin(), index_.end(), kNowhere);
  is_indexed_ = false;
}

void UnitStatistic::Reserve(const Bounds& bounds) {
  if (!bounds.several_documents) return;
  index_.assign(bounds.shape.num_columns, kNowhere);
  merged_topics_.resize(bounds.shape.num_topics);
  places_.resize(bounds.shape.num_topics);
  order_.resize(bounds.num_terms);
  moved_values_.resize(bounds.num_terms * bounds.shape.num_topics);
}

size_t UnitStatistic::BytesReserved(const Bounds& bounds) {
  if (!bounds.several_documents) return 0;
  const auto& [num_topics, num_columns] = bounds.shape;
  return num_columns * sizeof(uint32_t) + num_topics * (sizeof(uint32_t) + sizeof(size_t)) +
         bounds.num_terms * (sizeof(uint64_t) + num_topics * sizeof(float));
}

void UnitStatistic::Add(DocumentView document, const EStep::Workspace& workspace) {
  if (workspace.num_rows() == 0 || workspace.num_rows() != document.size() ||
      workspace.gamma().size() != shape_.num_topics) {
    return;
  }
  // All rows lie behind each other.
  const size_t size = workspace.num_rows() * workspace.topics().size();
  Add(document, {.topics = workspace.topics(), .values = {workspace.row(0).data(), size}});
}

void UnitStatistic::Add(DocumentView document, const DocumentStatistic& x) {
  const size_t width = x.topics.size();
  if (x.values.size() != document.size() * width) return;
  if (!IsCanonical(document, static_cast<int64_t>(shape_.num_columns))) return;
  if (width > 0 && x.topics.back() >= shape_.num_topics) return;
  if (statistic_->columns.empty()) return AddFirst(document, x);
  if (!is_indexed_) IndexTerms();
  AddTopics(x.topics);
  AddTerms(document);
  const std::vector<uint32_t>& topics = statistic_->rows;
  Locate(x.topics, topics, &places_);
  for (size_t j = 0; j < document.size(); ++j) {
    float* sum = statistic_->values.data() + size_t{index_[document[j].term]} * topics.size();
    const absl::Span<const float> row = x.values.subspan(j * width, width);
    for (size_t a = 0; a < width; ++a) sum[places_[a]] += row[a];
  }
}

void UnitStatistic::Finish() {
  if (!is_indexed_) return;
  std::vector<uint32_t>& terms = statistic_->columns;
  for (const uint32_t term : terms) index_[term] = kNowhere;
  is_indexed_ = false;
  if (std::is_sorted(terms.begin(), terms.end())) return;
  order_.clear();
  for (size_t place = 0; place < terms.size(); ++place) {
    order_.push_back(uint64_t{terms[place]} << 32 | place);
  }
  std::sort(order_.begin(), order_.end());
  const size_t width = statistic_->rows.size();
  moved_values_.clear();
  for (size_t i = 0; i < order_.size(); ++i) {
    terms[i] = static_cast<uint32_t>(order_[i] >> 32);
    const size_t place = order_[i] & 0xFFFFFFFF;
    const auto first = statistic_->values.begin() + static_cast<std::ptrdiff_t>(place * width);
    moved_values_.insert(moved_values_.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  statistic_->values.swap(moved_values_);
}

void UnitStatistic::AddFirst(DocumentView document, const DocumentStatistic& x) {
  std::vector<uint32_t>& terms = statistic_->columns;
  terms.resize(document.size());
  for (size_t j = 0; j < document.size(); ++j) terms[j] = document[j].term;
  statistic_->rows.assign(x.topics.begin(), x.topics.end());
  statistic_->values.assign(x.values.begin(), x.values.end());
}

void UnitStatistic::IndexTerms() {
  index_.resize(std::max(index_.size(), shape_.num_columns), kNowhere);
  const std::vector<uint32_t>& terms = statistic_->columns;
  for (size_t place = 0; place < terms.size(); ++place) {
    index_[terms[place]] = static_cast<uint32_t>(place);
  }
  is_indexed_ = true;
}

// Widens the values of every term where `topics` has one that is new.
void UnitStatistic::AddTopics(absl::Span<const uint32_t> topics) {
  std::vector<uint32_t>& old = statistic_->rows;
  merged_topics_.clear();
  std::set_union(old.begin(), old.end(), topics.begin(), topics.end(),
                 std::back_inserter(merged_topics_));
  if (merged_topics_.size() == old.size()) return;
  Locate(old, merged_topics_, &places_);
  const size_t num_terms = statistic_->columns.size();
  moved_values_.assign(num_terms * merged_topics_.size(), 0.0f);
  for (size_t i = 0; i < num_terms; ++i) {
    for (size_t a = 0; a < old.size(); ++a) {
      moved_values_[i * merged_topics_.size() + places_[a]] =
          statistic_->values[i * old.size() + a];
    }
  }
  statistic_->values.swap(moved_values_);
  old.swap(merged_topics_);
}

// Gives every term of `document` that is new a place of zeros behind the others.
void UnitStatistic::AddTerms(DocumentView document) {
  std::vector<uint32_t>& terms = statistic_->columns;
  for (const TermCount& entry : document) {
    if (index_[entry.term] != kNowhere) continue;
    index_[entry.term] = static_cast<uint32_t>(terms.size());
    terms.push_back(entry.term);
  }
  statistic_->values.resize(terms.size() * statistic_->rows.size(), 0.0f);
}

}  // namespace topicwall::lda
