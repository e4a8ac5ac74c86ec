// Most units are one document, which is copied as the E-step left it. Further ones merge: new
// topics make every row longer (AddTopics), new terms get rows behind the others, in no order
// (AddTerms), and Finish sorts rows once. `places_of_terms_` says meanwhile where the row of a term
// is.
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

void UnitStatistic::Reset(int num_topics, model::SparseStatistic* statistic) {
  num_topics_ = static_cast<size_t>(num_topics);
  statistic_ = statistic;
  statistic_->Clear();
  places_of_terms_.clear();
  values_are_in_order_ = true;
}

void UnitStatistic::Reserve(int num_topics, size_t num_terms, bool several_documents) {
  const auto topics = static_cast<size_t>(num_topics);
  places_of_terms_.resize(num_terms);
  if (!several_documents) return;
  merged_terms_.resize(num_terms);
  merged_topics_.resize(topics);
  merged_places_.resize(num_terms);
  places_.resize(topics);
  moved_values_.resize(num_terms * topics);
}

size_t UnitStatistic::BytesReserved(size_t num_topics, size_t num_terms, bool several_documents) {
  if (!several_documents) return num_terms * sizeof(size_t);
  return num_terms * num_topics * sizeof(float) + (num_terms + num_topics) * sizeof(uint32_t) +
         (2 * num_terms + num_topics) * sizeof(size_t);
}

void UnitStatistic::Add(DocumentView document, const EStep::Workspace& workspace) {
  if (workspace.num_rows() == 0 || workspace.num_rows() != document.size() ||
      workspace.gamma().size() != num_topics_) {
    return;
  }
  // All rows lie behind each other.
  const size_t size = workspace.num_rows() * workspace.topics().size();
  Add(document, {.topics = workspace.topics(), .values = {workspace.row(0).data(), size}});
}

void UnitStatistic::Add(DocumentView document, const DocumentStatistic& x) {
  // Only strict ascent matters here: whoever made x has checked the vocabulary.
  constexpr int64_t kAnyTerm = int64_t{1} << 32;
  const size_t width = x.topics.size();
  if (x.values.size() != document.size() * width || !IsCanonical(document, kAnyTerm)) return;
  if (width > 0 && x.topics.back() >= num_topics_) return;
  if (statistic_->columns.empty()) return AddFirst(document, x);
  AddTopics(x.topics);
  AddTerms(document);
  const std::vector<uint32_t>& terms = statistic_->columns;
  const std::vector<uint32_t>& topics = statistic_->rows;
  Locate(x.topics, topics, &places_);
  size_t i = 0;
  for (size_t j = 0; j < document.size(); ++j) {
    while (terms[i] < document[j].term) ++i;
    float* sum = statistic_->values.data() + places_of_terms_[i] * topics.size();
    const absl::Span<const float> row = x.values.subspan(j * width, width);
    for (size_t a = 0; a < width; ++a) sum[places_[a]] += row[a];
  }
}

void UnitStatistic::Finish() {
  if (values_are_in_order_) return;
  const size_t width = statistic_->rows.size();
  moved_values_.clear();
  for (const size_t place : places_of_terms_) {
    const auto first = statistic_->values.begin() + static_cast<std::ptrdiff_t>(place * width);
    moved_values_.insert(moved_values_.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  statistic_->values.swap(moved_values_);
  std::iota(places_of_terms_.begin(), places_of_terms_.end(), size_t{0});
  values_are_in_order_ = true;
}

void UnitStatistic::AddFirst(DocumentView document, const DocumentStatistic& x) {
  std::vector<uint32_t>& terms = statistic_->columns;
  terms.resize(document.size());
  for (size_t j = 0; j < document.size(); ++j) terms[j] = document[j].term;
  statistic_->rows.assign(x.topics.begin(), x.topics.end());
  places_of_terms_.resize(document.size());
  std::iota(places_of_terms_.begin(), places_of_terms_.end(), size_t{0});
  statistic_->values.assign(x.values.begin(), x.values.end());
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

// Gives every term of `document` that is new a place of zeros behind the others. Both lists are
// strictly ascending, so their merge is.
void UnitStatistic::AddTerms(DocumentView document) {
  std::vector<uint32_t>& terms = statistic_->columns;
  merged_terms_.clear();
  merged_places_.clear();
  size_t num_places = terms.size();
  size_t i = 0;
  const auto keep = [this, &terms, &i] {
    merged_terms_.push_back(terms[i]);
    merged_places_.push_back(places_of_terms_[i++]);
  };
  for (const TermCount& entry : document) {
    while (i < terms.size() && terms[i] < entry.term) keep();
    if (i < terms.size() && terms[i] == entry.term) {
      keep();
    } else {
      merged_terms_.push_back(entry.term);
      // A new row behind the others, whatever its term: to move the rows that there are would cost
      // a pass over all values for each document.
      merged_places_.push_back(num_places++);
    }
  }
  while (i < terms.size()) keep();
  values_are_in_order_ = values_are_in_order_ && num_places == terms.size();
  statistic_->values.resize(num_places * statistic_->rows.size(), 0.0f);
  terms.swap(merged_terms_);
  places_of_terms_.swap(merged_places_);
}

}  // namespace topicwall::lda
