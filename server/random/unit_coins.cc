#include "server/random/unit_coins.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>

namespace topicwall::random {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are read as little-endian");

absl::Status Failed() { return absl::InternalError("OpenSSL could not run AES-256"); }

// Units encrypted by one call of the cipher.
constexpr std::size_t kBatch = 64;

}  // namespace

absl::StatusOr<UnitCoins> UnitCoins::Create(const SecretKey& key) {
  Context context(EVP_CIPHER_CTX_new());
  // One block in, one block out: whole blocks alone go in, and there is no end to be padded.
  if (context == nullptr ||
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_ecb(), nullptr, key.ExposeBytes().data(),
                         nullptr) != 1 ||
      EVP_CIPHER_CTX_set_padding(context.get(), 0) != 1) {
    return Failed();
  }
  return UnitCoins(std::move(context));
}

absl::Status UnitCoins::Toss(absl::Span<const UnitId> units, absl::Span<uint64_t> coins) const {
  // All ones before anything can fail. No threshold is above it, so an error that is overlooked
  // samples nobody.
  std::fill(coins.begin(), coins.end(), std::numeric_limits<uint64_t>::max());
  if (coins.size() != units.size()) {
    return absl::InvalidArgumentError("there must be as many coins as units");
  }
  // A context may be used by one thread at a time, but copied by many.
  Context context(EVP_CIPHER_CTX_new());
  if (context == nullptr || EVP_CIPHER_CTX_copy(context.get(), context_.get()) != 1) {
    return Failed();
  }
  std::array<UnitId, kBatch> blocks;
  for (std::size_t start = 0; start < units.size(); start += kBatch) {
    const absl::Span<const UnitId> batch = units.subspan(start, kBatch);
    const int size = static_cast<int>(batch.size() * sizeof(UnitId));
    int written = 0;
    if (EVP_EncryptUpdate(context.get(), blocks[0].data(), &written, batch[0].data(), size) != 1 ||
        written != size) {
      std::fill(coins.begin(), coins.end(), std::numeric_limits<uint64_t>::max());
      return Failed();
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::memcpy(&coins[start + i], blocks[i].data(), sizeof(uint64_t));
    }
  }
  OPENSSL_cleanse(blocks.data(), sizeof(blocks));
  return absl::OkStatus();
}

}  // namespace topicwall::random
