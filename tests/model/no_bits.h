// For E-steps that draw nothing.
#ifndef TOPICWALL_TESTS_MODEL_NO_BITS_H_
#define TOPICWALL_TESTS_MODEL_NO_BITS_H_

#include <gtest/gtest.h>

#include <cstdint>

#include "model/unit_bits.h"

namespace topicwall::model {

// A bit that is drawn fails the test.
class NoBits final : public UnitBits {
 public:
  void StartDocument(int) override {}
  uint64_t NextBits(int) override {
    ADD_FAILURE() << "the E-step draws nothing";
    return 0;
  }
};

}  // namespace topicwall::model

#endif  // TOPICWALL_TESTS_MODEL_NO_BITS_H_
