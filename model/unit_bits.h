// The random bits that a model may use on one privacy unit: a stream for each of its documents,
// made afresh for every release.
//
//   bits.StartDocument(document.number);
//   const bool heads = bits.NextBits(1) == 1;
//
// A stream is a function of (release, unit, document's number) and nothing else, so that what a
// model draws for one unit depends on no other, on no thread and on no order, and a release that is
// computed again is the same. The mechanism makes them (server/mechanism/keyed_unit_bits.h).
//
// Errors: none to look at. If the machine's cipher fails, bits are 0 and the release is not used.
// Privacy: PRIVATE. Threads: one.
#ifndef TOPICWALL_MODEL_UNIT_BITS_H_
#define TOPICWALL_MODEL_UNIT_BITS_H_

#include <cstdint>

namespace topicwall::model {

class UnitBits {
 public:
  virtual ~UnitBits() = default;

  // Goes to the beginning of the stream of this document of the unit. Before any NextBits.
  virtual void StartDocument(int number) = 0;

  // `count` uniform bits, 1 <= count <= 64, as a number below 2^count.
  virtual uint64_t NextBits(int count) = 0;
};

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_UNIT_BITS_H_
