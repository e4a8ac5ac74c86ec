#include "model/prevalence/cells.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topicwall::prevalence {
namespace {

// As many as a statistic may have entries (sparse_statistic.h).
constexpr int64_t kMaxCells = int64_t{1} << 32;

}  // namespace

absl::StatusOr<Cells> Cells::Create(absl::Span<const int> attributes,
                                    const model::CorpusShape& corpus) {
  std::vector<int> sizes;
  int64_t size = 1;
  int before = -1;
  for (const int attribute : attributes) {
    if (!(attribute > before && attribute < corpus.num_attributes())) {
      return absl::InvalidArgumentError(
          absl::StrCat("attributes must be strictly ascending numbers below ",
                       corpus.num_attributes(), ", of those that the corpus has; got ", attribute,
                       ". Describe the corpus and ask for its attributes."));
    }
    before = attribute;
    sizes.push_back(corpus.attribute_sizes[static_cast<size_t>(attribute)]);
    // By division, so that no product of an analyst's choice overflows.
    if (!(sizes.back() >= 1 && size <= kMaxCells / sizes.back())) {
      return absl::InvalidArgumentError(
          "the attributes' values must make at most 2^32 cells; they make more. Ask for fewer "
          "attributes.");
    }
    size *= sizes.back();
  }
  return Cells({attributes.begin(), attributes.end()}, std::move(sizes), size);
}

int64_t Cells::CellOf(absl::Span<const uint16_t> values) const {
  int64_t cell = 0;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    // Whoever reads the corpus has checked both; one document more or less in a wrong cell is
    // better than one outside of them all.
    const auto attribute = static_cast<size_t>(attributes_[i]);
    const int other = sizes_[i] - 1;
    // Mixed radix, the last attribute's value counting up first.
    cell = cell * sizes_[i] +
           (attribute < values.size() ? std::min<int>(values[attribute], other) : other);
  }
  return cell;
}

std::vector<int> Cells::ValuesOf(int64_t cell) const {
  std::vector<int> values(sizes_.size());
  for (size_t i = sizes_.size(); i-- > 0; cell /= sizes_[i]) {
    values[i] = static_cast<int>(cell % sizes_[i]);
  }
  return values;
}

}  // namespace topicwall::prevalence
