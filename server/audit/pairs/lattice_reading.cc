#include "server/audit/pairs/lattice_reading.h"

#include <cstddef>

namespace topicwall::audit {

LatticeReading::LatticeReading(const mechanism::LatticeSum& sum)
    : histogram_(sum.histogram_.begin(), sum.histogram_.end()) {
  const std::size_t entries = static_cast<std::size_t>(sum.memory_.shape().dimension);
  statistics_.reserve(entries);
  for (std::size_t i = 0; i < entries; ++i) statistics_.push_back(sum.At(i));
}

}  // namespace topicwall::audit
