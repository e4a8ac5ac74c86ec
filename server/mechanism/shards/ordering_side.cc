// What goes out to processes that sum some shards of a release, and how what comes back is read.
// In a source apart from what they do with it (summing_side.cc): the vault cannot write a sum down.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/little_endian.h"
#include "base/status_macros.h"
#include "server/mechanism/partial_sum.h"
#include "server/mechanism/release_coins.h"

namespace topicwall::mechanism {
namespace {

void AppendKey(const random::SecretKey& key, std::string* bytes) {
  bytes->append(key.ExposeBytes().begin(), key.ExposeBytes().end());
}

absl::Status NotOfThisRelease(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes must be a partial sum of this release; ", what,
                   ". Sum those shards of this release again."));
}

}  // namespace

// One allocation: keys are not left behind in a shorter one.
std::string ReleaseCoins::Serialise() const {
  const ledger::PaidMechanism& paid = parts_.mechanism;
  std::string bytes;
  bytes.reserve(kBytesBeforeWeights + sizeof(float) * paid.weights.size());
  absl::StrAppend(&bytes, kMagic);
  bytes.append(parts_.tag.release.begin(), parts_.tag.release.end());
  base::AppendLittleEndian(parts_.tag.begun_at_ms, &bytes);
  base::AppendLittleEndian(int64_t{parts_.tag.num_shards}, &bytes);
  for (const auto* key : {&parts_.coin_key, &parts_.truncation_key, &parts_.bits_key}) {
    AppendKey(*key, &bytes);
  }
  base::AppendLittleEndian(paid.sampling_rate, &bytes);
  base::AppendLittleEndian(paid.noise_multiplier, &bytes);
  base::AppendLittleEndian(paid.histogram_noise_multiplier.value_or(0), &bytes);
  base::AppendLittleEndian(paid.held_out_share, &bytes);
  base::AppendLittleEndian(paid.max_words, &bytes);
  base::AppendLittleEndian(int64_t{paid.held_out_only}, &bytes);
  for (const float weight : paid.weights) base::AppendLittleEndian(weight, &bytes);
  return bytes;
}

std::string PartialSum::Header() const {
  std::string bytes(kFormat);
  bytes.append(tag_.release.begin(), tag_.release.end());
  base::AppendLittleEndian(tag_.begun_at_ms, &bytes);
  base::AppendLittleEndian(int64_t{tag_.num_shards}, &bytes);
  base::AppendLittleEndian(clipper_.params().clip_norm, &bytes);
  base::AppendLittleEndian(clipper_.params().direction_noise, &bytes);
  base::AppendLittleEndian(memory_.shape().dimension, &bytes);
  base::AppendLittleEndian(memory_.shape().period, &bytes);
  // The noise is made to those of whoever reads this: clipped along others, units would be too
  // long.
  return absl::StrCat(bytes, base::DigestBytes(clipper_.directions().Digest()));
}

// Into a sum made from coins, like any other: bytes can fill a sum of this release, and never make
// one of a release that nobody has paid for.
absl::StatusOr<PartialSum> PartialSum::Parse(const ReleaseCoins& coins, ReleaseMemory&& memory,
                                             const Params& params, absl::string_view bytes) {
  TW_ASSIGN_OR_RETURN(PartialSum sum, Create(coins, std::move(memory), params));
  // All that must agree is written before what is read.
  if (!absl::ConsumePrefix(&bytes, sum.Header())) {
    return NotOfThisRelease("they begin as one of another release, attempt, clip or shape");
  }
  const auto entries = static_cast<std::size_t>(sum.memory_.shape().dimension);
  // Exactly so many: no number below is read beyond the end, and nothing stands behind the last.
  if (bytes.size() != sum.shards_.size() + 8 * (entries + sum.histogram_.size())) {
    return NotOfThisRelease("their number is another one");
  }
  // From 0 to 2 they are believed, as are the sums behind them: whoever can write these bytes is
  // inside the wall.
  for (uint8_t& times : sum.shards_) {
    times = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    if (times > 2) return NotOfThisRelease("a shard is in it neither 0, 1 nor more times");
  }
  for (std::size_t i = 0; i < entries; ++i)
    sum.memory_.Add(i, base::TakeLittleEndian<uint64_t>(&bytes));
  for (uint64_t& bin : sum.histogram_) bin = base::TakeLittleEndian<uint64_t>(&bytes);
  return sum;
}

}  // namespace topicwall::mechanism
