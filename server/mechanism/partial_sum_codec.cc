// In a source of its own: a program that sums in one process does not hold it.
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/mechanism/partial_sum.h"

namespace topicwall::mechanism {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

template <typename Number>
void Append(Number number, std::string* bytes) {
  static_assert(sizeof(number) == 8);
  char raw[sizeof(number)];
  std::memcpy(raw, &number, sizeof(raw));
  bytes->append(raw, sizeof(raw));
}

// Takes a number from the front, where there is one.
uint64_t TakeNumber(absl::string_view* bytes) {
  uint64_t number = 0;
  std::memcpy(&number, bytes->data(), sizeof(number));
  bytes->remove_prefix(sizeof(number));
  return number;
}

absl::Status NotOfThisRelease(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes must be a partial sum of this release; ", what,
                   ". Sum those shards of this release again."));
}

}  // namespace

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
