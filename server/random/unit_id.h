// The name of a privacy unit inside the wall: 16 bytes, a keyed hash of what the
// custodian calls the unit (server/corpus makes it), so that equal units get equal ids
// in every corpus under one key and nobody without the key can tell whose id it is.
// PRIVATE: which ids exist is a fact about the corpus; ids are never printed or sent.
#ifndef TOPICWALL_SERVER_RANDOM_UNIT_ID_H_
#define TOPICWALL_SERVER_RANDOM_UNIT_ID_H_

#include <array>
#include <cstdint>

namespace topicwall::random {

using UnitId = std::array<uint8_t, 16>;

}  // namespace topicwall::random

#endif  // TOPICWALL_SERVER_RANDOM_UNIT_ID_H_
