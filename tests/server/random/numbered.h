// A key and the names of units that are numbers in a row, for expected values to be worked out from
// elsewhere.
#ifndef TOPICWALL_TESTS_SERVER_RANDOM_NUMBERED_H_
#define TOPICWALL_TESTS_SERVER_RANDOM_NUMBERED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::random {

// 0, 1, …, 31.
inline SecretKey CountingKey() {
  std::array<uint8_t, 32> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i);
  return SecretKey(bytes);
}

// 0, 1, …, count - 1, the lowest byte first.
inline std::vector<UnitId> NumberedUnits(std::size_t count) {
  std::vector<UnitId> units(count);
  for (std::size_t i = 0; i < count; ++i) {
    units[i] = {static_cast<uint8_t>(i), static_cast<uint8_t>(i >> 8),
                static_cast<uint8_t>(i >> 16)};
  }
  return units;
}

}  // namespace topicwall::random

#endif  // TOPICWALL_TESTS_SERVER_RANDOM_NUMBERED_H_
