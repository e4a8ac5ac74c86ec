#include "server/mechanism/noise/natural.h"

#include <algorithm>
#include <cstddef>

namespace topicwall::mechanism {

Natural::Natural(uint64_t value)
    : limbs_{static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)} {
  DropLeadingZeros();
}

Natural Natural::PowerOfTwo(int exponent) {
  Natural power(1);
  power.ShiftLeft(exponent);
  return power;
}

Natural& Natural::operator+=(const Natural& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    carry += limbs_[i];
    if (i < other.limbs_.size()) carry += other.limbs_[i];
    limbs_[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  DropLeadingZeros();
  return *this;
}

Natural operator*(const Natural& a, const Natural& b) {
  Natural product;
  product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    uint64_t carry = 0;  // with the two 32-bit numbers added, at most 2^64 - 1
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
      product.limbs_[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product.limbs_[i + b.limbs_.size()] = static_cast<uint32_t>(carry);
  }
  product.DropLeadingZeros();
  return product;
}

void Natural::ShiftLeft(int bits) {
  if (IsZero()) return;
  uint32_t carry = 0;
  const int within = bits % 32;
  for (uint32_t& limb : limbs_) {
    const uint64_t shifted = (uint64_t{limb} << within) | carry;
    limb = static_cast<uint32_t>(shifted);
    carry = static_cast<uint32_t>(shifted >> 32);
  }
  limbs_.push_back(carry);
  limbs_.insert(limbs_.begin(), static_cast<std::size_t>(bits / 32), 0);
  DropLeadingZeros();
}

bool Natural::ShiftRight(int bits) {
  const auto whole = std::min(static_cast<std::size_t>(bits / 32), limbs_.size());
  bool lost = std::any_of(limbs_.begin(), limbs_.begin() + static_cast<std::ptrdiff_t>(whole),
                          [](uint32_t limb) { return limb != 0; });
  limbs_.erase(limbs_.begin(), limbs_.begin() + static_cast<std::ptrdiff_t>(whole));
  return Divide(uint32_t{1} << (bits % 32)) || lost;
}

bool Natural::Divide(uint32_t divisor) {
  uint64_t remainder = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    remainder = (remainder << 32) | limbs_[i];
    limbs_[i] = static_cast<uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  DropLeadingZeros();
  return remainder != 0;
}

void Natural::ShiftRightDown(int bits) { ShiftRight(bits); }

void Natural::ShiftRightUp(int bits) {
  if (ShiftRight(bits)) AddOne();
}

void Natural::DivideDown(uint32_t divisor) { Divide(divisor); }

void Natural::DivideUp(uint32_t divisor) {
  if (Divide(divisor)) AddOne();
}

void Natural::AddOne() { *this += Natural(1); }

int Compare(const Natural& a, const Natural& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size() ? -1 : 1;
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
  }
  return 0;
}

absl::uint128 Natural::ToUint128() const {
  absl::uint128 value = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) value = (value << 32) | limbs_[i];
  return value;
}

void Natural::DropLeadingZeros() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

}  // namespace topicwall::mechanism
