#include "server/mechanism/lattice_rows.h"

#include <array>
#include <atomic>
#include <utility>

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kMostUnrolled = 32;
constexpr std::size_t kRowsAhead = 16;

inline void AddEntry(uint32_t* low, uint32_t* high, uint32_t topic, uint64_t value) {
  const uint64_t sum = low[topic] + value;  // value < 2^37: does not wrap
  low[topic] = static_cast<uint32_t>(sum);
  if (sum >> 32 == 0) return;
  std::atomic_ref<uint32_t>(high[topic])
      .fetch_add(static_cast<uint32_t>(sum >> 32), std::memory_order_relaxed);
}

// Topics that are in as many cache lines, or nearly, as all of a unit's topics are: a line's length
// apart, and the last one.
class Lines {
 public:
  explicit Lines(absl::Span<const uint32_t> topics) {
    constexpr uint32_t kLine = 64 / sizeof(uint32_t);
    for (const uint32_t topic : topics) {
      const bool is_far = size_ == 0 || topic >= places_[size_ - 1] + kLine;
      if (is_far && size_ + 1 < places_.size()) places_[size_++] = topic;
    }
    if (!topics.empty()) places_[size_++] = topics.back();
  }
  // GCC takes a function that does nothing else for one without effect, unless it is inlined first.
  __attribute__((always_inline)) void Fetch(const uint32_t* row) const {
    for (std::size_t i = 0; i < size_; ++i) __builtin_prefetch(row + places_[i], 1);
  }

 private:
  std::array<uint32_t, 32> places_;
  std::size_t size_ = 0;
};

// kTopics > 0 is the number of the unit's topics, 0 any number. The rows are asked for well before
// they are needed: the lattice is larger than the nearer caches, and a processor by itself looks no
// more than a few rows ahead.
template <std::size_t kTopics>
void AddRowsOf(const LatticeRows& lattice, const UnitRows& unit) {
  const std::size_t num_topics = kTopics == 0 ? unit.topics.size() : kTopics;
  const std::size_t num_terms = unit.terms.size();
  const uint32_t* terms = unit.terms.data();
  const uint32_t* topics = unit.topics.data();
  const uint64_t* values = unit.values;
  const Lines lines(unit.topics);
  for (std::size_t i = 0; i < kRowsAhead && i < num_terms; ++i) {
    lines.Fetch(lattice.low + terms[i] * lattice.num_topics);
  }
  for (std::size_t i = 0; i < num_terms; ++i) {
    if (i + kRowsAhead < num_terms) {
      lines.Fetch(lattice.low + terms[i + kRowsAhead] * lattice.num_topics);
    }
    uint32_t* low = lattice.low + terms[i] * lattice.num_topics;
    uint32_t* high = lattice.high + terms[i] * lattice.num_topics;
    if constexpr (kTopics == 0) {
      for (std::size_t a = 0; a < num_topics; ++a) AddEntry(low, high, topics[a], values[a]);
    } else {
#pragma GCC unroll 32
      for (std::size_t a = 0; a < kTopics; ++a) AddEntry(low, high, topics[a], values[a]);
    }
    values += num_topics;
  }
}

using Add = void (*)(const LatticeRows&, const UnitRows&);

template <std::size_t... kTopics>
constexpr std::array<Add, sizeof...(kTopics)> Table(std::index_sequence<kTopics...> /*topics*/) {
  return {AddRowsOf<kTopics>...};
}

}  // namespace

void AddRows(const LatticeRows& lattice, const UnitRows& unit) {
  static constexpr auto kTable = Table(std::make_index_sequence<kMostUnrolled + 1>());
  const std::size_t size = unit.topics.size();
  kTable[size <= kMostUnrolled ? size : 0](lattice, unit);
}

}  // namespace topicwall::mechanism
