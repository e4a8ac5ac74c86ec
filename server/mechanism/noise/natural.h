// Natural numbers of any size, for the few decisions that 64 bits cannot make.
//
//   Natural z(5);
//   z.ShiftLeft(200);
//   const Natural square = z * z;
//   z.DivideDown(7);   // ⌊z/7⌋
//
// Values are never rounded but where a name says so: …Down gives the floor and …Up the
// ceiling. There is no subtraction, so nothing is ever negative.
//
// Privacy: what is computed here is PRIVATE. Threads: like an int.
// Cost: schoolbook, with an allocation for most operations: some 50 ns for a few hundred bits.
#ifndef TOPICWALL_SERVER_MECHANISM_NOISE_NATURAL_H_
#define TOPICWALL_SERVER_MECHANISM_NOISE_NATURAL_H_

#include <cstdint>
#include <vector>

#include "absl/numeric/int128.h"

namespace topicwall::mechanism {

class Natural {
 public:
  explicit Natural(uint64_t value = 0);
  static Natural PowerOfTwo(int exponent);  // exponent >= 0

  Natural& operator+=(const Natural& other);
  friend Natural operator*(const Natural& a, const Natural& b);

  // Times 2^bits, bits >= 0.
  void ShiftLeft(int bits);
  // Divided by 2^bits (bits >= 0) or by `divisor` >= 1.
  void ShiftRightDown(int bits);
  void ShiftRightUp(int bits);
  void DivideDown(uint32_t divisor);
  void DivideUp(uint32_t divisor);

  bool IsZero() const { return limbs_.empty(); }
  // Negative, 0 or positive as a < b, a == b or a > b.
  friend int Compare(const Natural& a, const Natural& b);

  // Precondition: below 2^128.
  absl::uint128 ToUint128() const;

 private:
  void DropLeadingZeros();
  // Returns whether anything but zeros was lost.
  bool ShiftRight(int bits);
  bool Divide(uint32_t divisor);
  void AddOne();

  std::vector<uint32_t> limbs_;  // little-endian, the last one not 0
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_NOISE_NATURAL_H_
