// Numbers as bytes, on disk, on wires and in hashes: the lowest byte first.
//
//   AppendLittleEndian(uint32_t{3}, &bytes);                       // four of them
//   uint64_t length = FromLittleEndian<uint64_t>(bytes);           // of the first eight
//   const auto number = TakeLittleEndian<int64_t>(&view);          // takes them from the front
//
// Of integers, and of float and double by their bits. Who reads makes sure that so many bytes are
// there. Errors: none. Threads: pure functions.
#ifndef TOPICWALL_BASE_LITTLE_ENDIAN_H_
#define TOPICWALL_BASE_LITTLE_ENDIAN_H_

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "absl/strings/string_view.h"

namespace topicwall::base {

static_assert(std::endian::native == std::endian::little, "numbers are moved as they lie");

template <typename Number>
std::array<char, sizeof(Number)> LittleEndian(Number number) {
  return std::bit_cast<std::array<char, sizeof(Number)>>(number);
}

template <typename Number>
void AppendLittleEndian(Number number, std::string* bytes) {
  bytes->append(LittleEndian(number).data(), sizeof(number));
}

template <typename Number>
Number FromLittleEndian(absl::string_view bytes) {
  Number number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

template <typename Number>
Number TakeLittleEndian(absl::string_view* bytes) {
  const auto number = FromLittleEndian<Number>(*bytes);
  bytes->remove_prefix(sizeof(number));
  return number;
}

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_LITTLE_ENDIAN_H_
