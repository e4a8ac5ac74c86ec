// What a process that sums some shards of a release makes of its order, and how it writes the sum.
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/strip.h"
#include "base/little_endian.h"
#include "base/status_macros.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/partial_sum.h"
#include "server/mechanism/release_coins.h"

namespace topicwall::mechanism {
namespace {

random::SecretKey TakeKey(absl::string_view* bytes) {
  std::array<uint8_t, random::SecretKey::kSize> raw;
  std::memcpy(raw.data(), bytes->data(), raw.size());
  bytes->remove_prefix(raw.size());
  random::SecretKey key(raw);
  OPENSSL_cleanse(raw.data(), raw.size());
  return key;
}

}  // namespace

// The numbers were checked when the receipt was split; what the parts of coins are made of they
// check again.
absl::StatusOr<ReleaseCoins> ReleaseCoins::Parse(absl::string_view bytes,
                                                 const random::SecretKey* held_out_key) {
  // All sizes first: below, everything is taken off the front without a look at what is left.
  if (bytes.size() < kBytesBeforeWeights ||
      (bytes.size() - kBytesBeforeWeights) % sizeof(float) != 0 ||
      !absl::ConsumePrefix(&bytes, kMagic)) {
    return absl::InvalidArgumentError(
        "the bytes must be the coins of a release; they are none. Are all programs of one "
        "version?");
  }
  ReleaseTag tag = {};
  std::copy_n(bytes.begin(), tag.release.size(), tag.release.begin());
  bytes.remove_prefix(tag.release.size());
  tag.begun_at_ms = base::TakeLittleEndian<int64_t>(&bytes);
  const auto num_shards = base::TakeLittleEndian<int64_t>(&bytes);
  TW_RETURN_IF_ERROR(ValidateNumShards(num_shards));
  tag.num_shards = static_cast<int>(num_shards);
  random::SecretKey coins = TakeKey(&bytes);
  random::SecretKey cuts = TakeKey(&bytes);
  random::SecretKey bits = TakeKey(&bytes);
  ledger::PaidMechanism paid = {};
  paid.sampling_rate = base::TakeLittleEndian<double>(&bytes);
  paid.noise_multiplier = base::TakeLittleEndian<double>(&bytes);
  const auto histogram = base::TakeLittleEndian<double>(&bytes);
  // 0 stands for no histogram: one without noise is never paid for.
  if (histogram != 0) paid.histogram_noise_multiplier = histogram;
  paid.held_out_share = base::TakeLittleEndian<double>(&bytes);
  paid.max_words = base::TakeLittleEndian<int64_t>(&bytes);
  paid.held_out_only = base::TakeLittleEndian<int64_t>(&bytes) != 0;
  while (!bytes.empty()) paid.weights.push_back(base::TakeLittleEndian<float>(&bytes));
  return Make(tag, std::move(paid),
              {.coins = std::move(coins), .cuts = std::move(cuts), .bits = std::move(bits)},
              held_out_key);
}

std::string PartialSum::Serialise() const {
  std::string bytes = Header();
  const auto entries = static_cast<std::size_t>(memory_.shape().dimension);
  bytes.reserve(bytes.size() + shards_.size() + 8 * (entries + histogram_.size()));
  bytes.append(shards_.begin(), shards_.end());
  for (std::size_t i = 0; i < entries; ++i) base::AppendLittleEndian(At(i), &bytes);
  for (const uint64_t bin : histogram_) base::AppendLittleEndian(bin, &bytes);
  return bytes;
}

}  // namespace topicwall::mechanism
