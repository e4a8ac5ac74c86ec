// CTR mode is a function from a counter to bits, and the counter begins at (stream number, 0): the
// upper half never changes within a stream, since no stream is 2^64 blocks long. So streams of one
// key do not overlap, and blocks of noise can be drawn by any thread in any order.
#include "server/random/keystream.h"

#include <openssl/crypto.h>

#include <array>
#include <bit>
#include <utility>

#include "absl/numeric/int128.h"

namespace topicwall::random {
namespace {

static_assert(std::endian::native == std::endian::little, "draws are read as little-endian");

absl::Status Failed() { return absl::InternalError("OpenSSL could not run AES-256-CTR"); }

}  // namespace

absl::StatusOr<Keystream> Keystream::Create(const SecretKey& key, uint64_t stream_number) {
  std::array<uint8_t, 16> first_block{};
  for (int i = 0; i < 8; ++i) {
    first_block[static_cast<std::size_t>(i)] = static_cast<uint8_t>(stream_number >> (56 - 8 * i));
  }
  Context context(EVP_CIPHER_CTX_new());
  if (context == nullptr || EVP_EncryptInit_ex(context.get(), EVP_aes_256_ctr(), nullptr,
                                               key.ExposeBytes().data(), first_block.data()) != 1) {
    return Failed();
  }
  return Keystream(std::move(context), std::unique_ptr<Buffer, WipeBuffer>(new Buffer));
}

Keystream::Keystream(Context context, std::unique_ptr<Buffer, WipeBuffer> buffer)
    : context_(std::move(context)), buffer_(std::move(buffer)), next_(buffer_->size()) {}

void Keystream::WipeBuffer::operator()(Buffer* buffer) const {
  OPENSSL_cleanse(buffer->data(), sizeof(Buffer));
  delete buffer;
}

// Rejection is rare (bound/2^64), and so is the division that tells whether it is needed: only a
// product whose lower half is below `bound` can be one to reject.
uint64_t Keystream::NextBelow(uint64_t bound) {
  absl::uint128 product = absl::uint128(Next64()) * bound;
  if (absl::Uint128Low64(product) < bound) {
    // 2^64 mod bound: the draws that would give some results one chance more than others.
    const uint64_t excess = (0 - bound) % bound;
    while (absl::Uint128Low64(product) < excess) product = absl::uint128(Next64()) * bound;
  }
  return absl::Uint128High64(product);
}

void Keystream::Refill() {
  // The keystream is the encryption of zeros, in place.
  buffer_->fill(0);
  uint8_t* bytes = reinterpret_cast<uint8_t*>(buffer_->data());
  int written = 0;
  if (!status_.ok() ||
      EVP_EncryptUpdate(context_.get(), bytes, &written, bytes, sizeof(Buffer)) != 1 ||
      written != static_cast<int>(sizeof(Buffer))) {
    status_ = Failed();
    // Worthless on purpose (the golden-ratio sequence), but not constant.
    // A constant would let a loop that waits for another value run for ever.
    uint64_t filler = 0;
    for (uint64_t& word : *buffer_) word = filler += 0x9E3779B97F4A7C15;
  }
  next_ = 0;
}

}  // namespace topicwall::random
