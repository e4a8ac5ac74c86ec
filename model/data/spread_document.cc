#include "model/data/spread_document.h"

#include <algorithm>

#include "model/data/bounded_vector.h"

namespace topicwall::lda {

uint64_t Scatter(uint64_t counter) {
  uint64_t z = (counter + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void SpreadDocuments::Fill(uint64_t number, std::vector<TermCount>* document) const {
  const int64_t terms = DistinctTerms();
  const auto count =
      static_cast<uint32_t>(std::min<int64_t>((words + terms - 1) / terms, UINT32_MAX));
  document->clear();
  for (int64_t i = 0; i < terms; ++i) {
    const int64_t first = i * vocabulary_size / terms;
    const int64_t end = (i + 1) * vocabulary_size / terms;
    // Modulo's bias does not matter here: nothing is estimated from these.
    const uint64_t offset =
        Scatter(number * 0x10001U + static_cast<uint64_t>(i)) % static_cast<uint64_t>(end - first);
    document->push_back({.term = static_cast<uint32_t>(first + static_cast<int64_t>(offset)),
                         .count = i == 0 ? 1 : count});
  }
}

void FillSpreadVector(uint64_t number, int dimension, std::vector<float>* vector) {
  std::vector<double> numbers;
  for (int i = 0; i < dimension; ++i) {
    const uint64_t bits = Scatter(number * 0x10001U + static_cast<uint64_t>(i));
    numbers.push_back((bits & 1U) != 0 ? 1 : -1);
  }
  vector->resize(numbers.size());
  model::ScaleToBound(numbers, /*norm_bound=*/1, absl::MakeSpan(*vector));
}

}  // namespace topicwall::lda
