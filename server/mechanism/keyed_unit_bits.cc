#include "server/mechanism/keyed_unit_bits.h"

#include <utility>

#include "absl/status/statusor.h"
#include "server/random/key_derivation.h"

namespace topicwall::mechanism {

void KeyedUnitBits::StartUnit(const random::UnitId& unit) {
  unit_ = unit;
  stream_.reset();
}

void KeyedUnitBits::StartDocument(int number) {
  // First, so that after a failure nobody goes on with the bits of the document before.
  stream_.reset();
  // Evaluations were the first to use these bits; the name is part of what a release's bits are a
  // function of.
  absl::StatusOr<random::SecretKey> key = random::Derive(key_, "halves of a document", unit_);
  if (!key.ok()) return status_.Update(key.status());
  absl::StatusOr<random::Keystream> stream =
      random::Keystream::Create(*key, static_cast<uint64_t>(number));
  if (!stream.ok()) return status_.Update(stream.status());
  stream_ = *std::move(stream);
}

uint64_t KeyedUnitBits::NextBits(int count) {
  if (!stream_.has_value()) {
    status_.Update(absl::InternalError("a model took bits before it named a document"));
    return 0;
  }
  // The stream's filler never reaches a model: zeros do, and the release is thrown away (status()).
  const uint64_t bits = stream_->NextBits(count);
  status_.Update(stream_->status());
  return status_.ok() ? bits : 0;
}

}  // namespace topicwall::mechanism
