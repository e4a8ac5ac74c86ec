// The bits of a release that models use on its units (model/unit_bits.h), from a key.
//
//   KeyedUnitBits bits = coins.NewUnitBits();     // one per thread
//   bits.StartUnit(unit.id());
//   … unit_inference->Infer(…, bits, …) …
//   if (!bits.status().ok()) …                    // the release must not go on
//
// The stream of a document is that of (key, unit id, number of the document in its unit), so it
// depends on nothing else.
//
// Privacy: PRIVATE. Errors: status() is INTERNAL from the first failure of OpenSSL on; bits are
// then 0. Threads: one. Cost: about 5 µs for every StartDocument; nothing for a model that uses
// none.
#ifndef TOPICWALL_SERVER_MECHANISM_KEYED_UNIT_BITS_H_
#define TOPICWALL_SERVER_MECHANISM_KEYED_UNIT_BITS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "model/unit_bits.h"
#include "server/random/keystream.h"
#include "server/random/secret_key.h"
#include "server/random/unit_id.h"

namespace topicwall::mechanism {

class KeyedUnitBits final : public model::UnitBits {
 public:
  // `key` must outlive it.
  explicit KeyedUnitBits(const random::SecretKey* key) : key_(*key) {}

  void StartUnit(const random::UnitId& unit);

  void StartDocument(int number) override;
  uint64_t NextBits(int count) override;

  const absl::Status& status() const { return status_; }

 private:
  const random::SecretKey& key_;
  random::UnitId unit_ = {};
  std::optional<random::Keystream> stream_;  // of a document
  absl::Status status_;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_KEYED_UNIT_BITS_H_
