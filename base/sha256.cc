#include "base/sha256.h"

#include <bit>
#include <new>
#include <string>
#include <utility>

#include "base/little_endian.h"

namespace topicwall::base {
namespace {

// With a fixed algorithm and valid arguments only memory can be missing.
void Require(int success) {
  if (success != 1) throw std::bad_alloc();
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  Require(context_ != nullptr);
  Require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::Update(absl::string_view bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

void Sha256::Update(absl::Span<const uint8_t> bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

void Sha256::UpdateInteger(uint64_t value) {
  const std::array<char, 8> bytes = LittleEndian(value);
  Update(absl::string_view(bytes.data(), bytes.size()));
}

void Sha256::UpdateNumber(double value) { UpdateInteger(std::bit_cast<uint64_t>(value)); }

void Sha256::UpdateString(absl::string_view bytes) {
  UpdateInteger(bytes.size());
  Update(bytes);
}

Digest Sha256::Finish() && {
  Digest digest;
  Require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
  return digest;
}

Digest Sha256Of(absl::string_view bytes) {
  Sha256 hash;
  hash.Update(bytes);
  return std::move(hash).Finish();
}

std::string DigestBytes(const Digest& digest) { return std::string(digest.begin(), digest.end()); }

}  // namespace topicwall::base
