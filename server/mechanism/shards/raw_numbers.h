// Numbers in the bytes that cross between processes that sum one release: as they lie in memory,
// the lowest byte first.
//
//   AppendRaw(int64_t{3}, &bytes);
//   const auto number = TakeRaw<int64_t>(&view);   // from the front, where there must be one
//
// Privacy: as what is written. Threads: pure functions.
#ifndef TOPICWALL_SERVER_MECHANISM_SHARDS_RAW_NUMBERS_H_
#define TOPICWALL_SERVER_MECHANISM_SHARDS_RAW_NUMBERS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "server/random/secret_key.h"

namespace topicwall::mechanism {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

template <typename Number>
void AppendRaw(Number number, std::string* bytes) {
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(raw));
  bytes->append(raw, sizeof(raw));
}

template <typename Number>
Number TakeRaw(absl::string_view* bytes) {
  Number number = 0;
  std::memcpy(&number, bytes->data(), sizeof(number));
  bytes->remove_prefix(sizeof(number));
  return number;
}

// How coins begin, and how long they are without the weights (ReleaseCoins::Serialise).
inline constexpr absl::string_view kCoinsMagic = "TWCOIN01";
inline constexpr std::size_t kCoinsBytes =
    8 + 32 + 8 + 8 + 3 * random::SecretKey::kSize + 4 * 8 + 8 + 8;

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_SHARDS_RAW_NUMBERS_H_
