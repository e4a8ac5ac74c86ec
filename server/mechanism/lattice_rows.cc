#include "server/mechanism/lattice_rows.h"

#include <array>
#include <atomic>
#include <utility>

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kMostUnrolled = 16;

inline void AddEntry(uint32_t* low, uint32_t* high, uint32_t topic, uint64_t value) {
  const uint64_t sum = low[topic] + value;  // value < 2^37: does not wrap
  low[topic] = static_cast<uint32_t>(sum);
  if (sum >> 32 == 0) return;
  std::atomic_ref<uint32_t>(high[topic])
      .fetch_add(static_cast<uint32_t>(sum >> 32), std::memory_order_relaxed);
}

// kTopics > 0 is the number of the unit's topics, 0 any number.
template <std::size_t kTopics>
void AddRowsOf(const LatticeRows& lattice, const UnitRows& unit) {
  const std::size_t num_topics = kTopics == 0 ? unit.topics.size() : kTopics;
  const uint32_t* topics = unit.topics.data();
  const uint64_t* values = unit.values;
  for (const uint32_t term : unit.terms) {
    uint32_t* low = lattice.low + term * lattice.num_topics;
    uint32_t* high = lattice.high + term * lattice.num_topics;
    if constexpr (kTopics == 0) {
      for (std::size_t a = 0; a < num_topics; ++a) AddEntry(low, high, topics[a], values[a]);
    } else {
#pragma GCC unroll 16
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
