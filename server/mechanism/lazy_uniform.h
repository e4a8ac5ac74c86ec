// A uniform real number in (0, 1) of which only the binary digits that somebody asked for
// exist yet.
//
//   LazyUniform<64> x, z;
//   x.Restart(bits);
//   z.Restart(bits);
//   if (z.IsBelow(x, bits)) …        // exactly, drawing more digits while they tie
//   uint64_t top = x.LeadingBits(31, bits);
//
// The number is the infinite expansion whose digits are fair coins; comparisons and
// leading bits are those of that number, not of an approximation. Digits come in groups
// of kDigitBits. With 64 a tie of the first groups has probability 2^-64; tests use small
// groups, so that the same code meets ties all the time.
//
// `Bits` offers NextBits(count) like random::Keystream.
// Threads: one. Cost: no allocation unless the first groups tie.
#ifndef TOPICWALL_SERVER_MECHANISM_LAZY_UNIFORM_H_
#define TOPICWALL_SERVER_MECHANISM_LAZY_UNIFORM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace topicwall::mechanism {

template <int kDigitBits>
class LazyUniform {
  static_assert(kDigitBits >= 1 && kDigitBits <= 64);

 public:
  // Becomes a new number.
  template <typename Bits>
  void Restart(Bits& bits) {
    first_ = bits.NextBits(kDigitBits);
    rest_.clear();
  }

  // Whether this number is below `other`, another object (equality has probability 0).
  template <typename Bits>
  bool IsBelow(LazyUniform& other, Bits& bits) {
    if (first_ != other.first_) return first_ < other.first_;
    for (std::size_t i = 1;; ++i) {
      const uint64_t mine = Group(i, bits);
      const uint64_t theirs = other.Group(i, bits);
      if (mine != theirs) return mine < theirs;
    }
  }

  // The first binary digit is 0.
  bool IsBelowHalf() const { return (first_ >> (kDigitBits - 1)) == 0; }

  // The first `count` binary digits as an integer: floor(2^count · number). 1 <= count <= 63.
  template <typename Bits>
  uint64_t LeadingBits(int count, Bits& bits) {
    uint64_t leading = 0;
    int missing = count;
    for (std::size_t i = 0; missing > 0; ++i) {
      const int taken = std::min(missing, kDigitBits);
      // Shifts by 64 are undefined; `taken` is 64 for none of them as count <= 63.
      leading = (leading << taken) | (Group(i, bits) >> (kDigitBits - taken));
      missing -= taken;
    }
    return leading;
  }

 private:
  template <typename Bits>
  uint64_t Group(std::size_t index, Bits& bits) {
    if (index == 0) return first_;
    while (rest_.size() < index) rest_.push_back(bits.NextBits(kDigitBits));
    return rest_[index - 1];
  }

  uint64_t first_ = 0;
  std::vector<uint64_t> rest_;  // groups after the first
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_LAZY_UNIFORM_H_
