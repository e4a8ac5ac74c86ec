// What goes to a process that sums some shards of a release, and what comes back.
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "server/mechanism/mechanism_limits.h"
#include "server/mechanism/partial_sum.h"
#include "server/mechanism/release_coins.h"

namespace topicwall::mechanism {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

template <typename Number>
void Append(Number number, std::string* bytes) {
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(raw));
  bytes->append(raw, sizeof(raw));
}

// Takes a number from the front, where there is one.
template <typename Number = uint64_t>
Number TakeNumber(absl::string_view* bytes) {
  Number number = 0;
  std::memcpy(&number, bytes->data(), sizeof(number));
  bytes->remove_prefix(sizeof(number));
  return number;
}

constexpr absl::string_view kCoinsMagic = "TWCOIN01";
constexpr std::size_t kCoinsBytes = 8 + 32 + 8 + 8 + 3 * random::SecretKey::kSize + 4 * 8 + 8 + 8;

void AppendKey(const random::SecretKey& key, std::string* bytes) {
  bytes->append(key.ExposeBytes().begin(), key.ExposeBytes().end());
}

random::SecretKey TakeKey(absl::string_view* bytes) {
  std::array<uint8_t, random::SecretKey::kSize> raw;
  std::memcpy(raw.data(), bytes->data(), raw.size());
  bytes->remove_prefix(raw.size());
  random::SecretKey key(raw);
  OPENSSL_cleanse(raw.data(), raw.size());
  return key;
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
  bytes.reserve(kCoinsBytes + sizeof(float) * paid.weights.size());
  absl::StrAppend(&bytes, kCoinsMagic);
  bytes.append(parts_.tag.release.begin(), parts_.tag.release.end());
  Append(parts_.tag.begun_at_ms, &bytes);
  Append(int64_t{parts_.tag.num_shards}, &bytes);
  for (const auto* key : {&parts_.coin_key, &parts_.truncation_key, &parts_.bits_key}) {
    AppendKey(*key, &bytes);
  }
  Append(paid.sampling_rate, &bytes);
  Append(paid.noise_multiplier, &bytes);
  Append(paid.histogram_noise_multiplier.value_or(0), &bytes);
  Append(paid.held_out_share, &bytes);
  Append(paid.max_words, &bytes);
  Append(int64_t{paid.held_out_only}, &bytes);
  for (const float weight : paid.weights) Append(weight, &bytes);
  return bytes;
}

// The numbers were checked when the receipt was split; what the parts of coins are made of they
// check again.
absl::StatusOr<ReleaseCoins> ReleaseCoins::Parse(absl::string_view bytes,
                                                 const random::SecretKey* held_out_key) {
  if (bytes.size() < kCoinsBytes || (bytes.size() - kCoinsBytes) % sizeof(float) != 0 ||
      !absl::ConsumePrefix(&bytes, kCoinsMagic)) {
    return absl::InvalidArgumentError(
        "the bytes must be the coins of a release; they are none. Are all programs of one "
        "version?");
  }
  ReleaseTag tag = {};
  std::copy_n(bytes.begin(), tag.release.size(), tag.release.begin());
  bytes.remove_prefix(tag.release.size());
  tag.begun_at_ms = TakeNumber<int64_t>(&bytes);
  const auto num_shards = TakeNumber<int64_t>(&bytes);
  TW_RETURN_IF_ERROR(ValidateNumShards(num_shards));
  tag.num_shards = static_cast<int>(num_shards);
  random::SecretKey coins = TakeKey(&bytes);
  random::SecretKey cuts = TakeKey(&bytes);
  random::SecretKey bits = TakeKey(&bytes);
  ledger::PaidMechanism paid = {};
  paid.sampling_rate = TakeNumber<double>(&bytes);
  paid.noise_multiplier = TakeNumber<double>(&bytes);
  const auto histogram = TakeNumber<double>(&bytes);
  if (histogram != 0) paid.histogram_noise_multiplier = histogram;
  paid.held_out_share = TakeNumber<double>(&bytes);
  paid.max_words = TakeNumber<int64_t>(&bytes);
  paid.held_out_only = TakeNumber<int64_t>(&bytes) != 0;
  while (!bytes.empty()) paid.weights.push_back(TakeNumber<float>(&bytes));
  return Make(tag, std::move(paid),
              {.coins = std::move(coins), .cuts = std::move(cuts), .bits = std::move(bits)},
              held_out_key);
}

std::string PartialSum::Header() const {
  std::string bytes = "TWPSUM01";
  bytes.append(tag_.release.begin(), tag_.release.end());
  Append(tag_.begun_at_ms, &bytes);
  Append(int64_t{tag_.num_shards}, &bytes);
  Append(clipper_.params().clip_norm, &bytes);
  Append(memory_.shape().dimension, &bytes);
  Append(memory_.shape().period, &bytes);
  return bytes;
}

std::string PartialSum::Serialise() const {
  std::string bytes = Header();
  const auto entries = static_cast<std::size_t>(memory_.shape().dimension);
  bytes.reserve(bytes.size() + shards_.size() + 8 * (entries + histogram_.size()));
  bytes.append(shards_.begin(), shards_.end());
  for (std::size_t i = 0; i < entries; ++i) Append(At(i), &bytes);
  for (const uint64_t bin : histogram_) Append(bin, &bytes);
  return bytes;
}

// Into a sum made from coins, like any other: bytes can fill a sum of this release, and never make
// one of a release that nobody has paid for.
absl::StatusOr<PartialSum> PartialSum::Parse(const ReleaseCoins& coins, ReleaseMemory&& memory,
                                             const Params& params, absl::string_view bytes) {
  absl::StatusOr<PartialSum> sum = Create(coins, std::move(memory), params);
  if (!sum.ok()) return sum.status();
  // All that must agree is written before what is read.
  if (!absl::ConsumePrefix(&bytes, sum->Header())) {
    return NotOfThisRelease("they begin as one of another release, attempt, clip or shape");
  }
  const auto entries = static_cast<std::size_t>(sum->memory_.shape().dimension);
  // Exactly so many: no number below is read beyond the end, and nothing stands behind the last.
  if (bytes.size() != sum->shards_.size() + 8 * (entries + sum->histogram_.size())) {
    return NotOfThisRelease("their number is another one");
  }
  // From 0 to 2 they are believed, as are the sums behind them: whoever can write these bytes is
  // inside the wall.
  for (uint8_t& times : sum->shards_) {
    times = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    if (times > 2) return NotOfThisRelease("a shard is in it neither 0, 1 nor more times");
  }
  for (std::size_t i = 0; i < entries; ++i) sum->memory_.Add(i, TakeNumber(&bytes));
  for (uint64_t& bin : sum->histogram_) bin = TakeNumber(&bytes);
  return sum;
}

}  // namespace topicwall::mechanism
