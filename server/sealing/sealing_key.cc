// One context, one nonce, one value: nothing is kept between calls, so that no nonce can come twice
// but by chance, and any thread may seal.
#include "server/sealing/sealing_key.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "server/random/key_derivation.h"
#include "server/random/secret_key.h"
#include "server/random/secure_random.h"

namespace topicwall::sealing {
namespace {

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

unsigned char* MutableBytes(std::string& text, std::size_t offset) {
  return reinterpret_cast<unsigned char*>(text.data()) + offset;
}

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// A context for one value: key and nonce (GCM's default length, 12) set, associated data
// taken in. Null on failure.
Context Begin(const random::SecretKey& key, const unsigned char* nonce,
              absl::string_view associated_data, bool encrypt) {
  Context context(EVP_CIPHER_CTX_new());
  int unused = 0;
  if (context == nullptr ||
      EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key.ExposeBytes().data(), nonce,
                        encrypt ? 1 : 0) != 1 ||
      EVP_CipherUpdate(context.get(), nullptr, &unused, Bytes(associated_data),
                       static_cast<int>(associated_data.size())) != 1) {
    return nullptr;
  }
  return context;
}

absl::Status Unopenable() {
  return absl::DataLossError(
      "sealed value cannot be opened: it was changed or moved, or the key is another one");
}

// Of the cipher, whatever the value: it must never pass for damage, which is for ever.
absl::Status CipherFailure() {
  return absl::InternalError(
      "OpenSSL cannot work with AES-256-GCM: no memory, or check its providers.");
}

}  // namespace

absl::StatusOr<SealingKey> SealingKey::Create(const random::SecretKey& secret) {
  TW_ASSIGN_OR_RETURN(random::SecretKey key, random::Derive(secret, "sealing: AES-256-GCM", {}));
  return SealingKey(std::move(key));
}

absl::StatusOr<std::string> SealingKey::Seal(absl::string_view plaintext,
                                             absl::string_view associated_data) const {
  if (plaintext.size() > kMaxSealedPlaintext || associated_data.size() > kMaxSealedPlaintext) {
    return absl::InvalidArgumentError(absl::StrCat("a sealed value holds at most ",
                                                   kMaxSealedPlaintext,
                                                   " bytes. Seal it in smaller pieces."));
  }
  std::array<uint8_t, kSealingNonceSize> nonce;
  TW_RETURN_IF_ERROR(random::FillRandom(absl::MakeSpan(nonce)));

  std::string sealed(plaintext.size() + kSealingOverhead, '\0');
  std::copy(nonce.begin(), nonce.end(), MutableBytes(sealed, 0));
  const Context context = Begin(key_, nonce.data(), associated_data, /*encrypt=*/true);
  int written = 0;
  int final_written = 0;
  if (context == nullptr ||
      EVP_CipherUpdate(context.get(), MutableBytes(sealed, kSealingNonceSize), &written,
                       Bytes(plaintext), static_cast<int>(plaintext.size())) != 1 ||
      static_cast<std::size_t>(written) != plaintext.size() ||
      EVP_CipherFinal_ex(context.get(), MutableBytes(sealed, kSealingNonceSize + plaintext.size()),
                         &final_written) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kSealingTagSize),
                          MutableBytes(sealed, kSealingNonceSize + plaintext.size())) != 1) {
    return CipherFailure();
  }
  return sealed;
}

absl::StatusOr<std::string> SealingKey::Open(absl::string_view sealed,
                                             absl::string_view associated_data) const {
  std::string plaintext;
  TW_RETURN_IF_ERROR(OpenInto(sealed, associated_data, &plaintext));
  return plaintext;
}

absl::Status SealingKey::OpenInto(absl::string_view sealed, absl::string_view associated_data,
                                  std::string* plaintext) const {
  if (sealed.size() < kSealingOverhead || sealed.size() > kMaxSealedPlaintext + kSealingOverhead ||
      associated_data.size() > kMaxSealedPlaintext) {
    plaintext->clear();
    return Unopenable();
  }
  const std::size_t size = sealed.size() - kSealingOverhead;
  std::array<unsigned char, kSealingTagSize> tag;
  std::copy(sealed.end() - kSealingTagSize, sealed.end(), tag.begin());
  plaintext->resize(size);

  const Context context = Begin(key_, Bytes(sealed), associated_data, /*encrypt=*/false);
  // Decrypted first and believed afterwards: GCM's tag is over the whole value. Until Final has
  // said yes the plaintext is nobody's; after a no it is emptied.
  int written = 0;
  unsigned char unused = 0;
  int final_written = 0;
  const bool works =
      context != nullptr &&
      EVP_CipherUpdate(context.get(), MutableBytes(*plaintext, 0), &written,
                       Bytes(sealed) + kSealingNonceSize, static_cast<int>(size)) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(tag.size()),
                          tag.data()) == 1;
  if (works && EVP_CipherFinal_ex(context.get(), &unused, &final_written) == 1) {
    return absl::OkStatus();
  }
  OPENSSL_cleanse(plaintext->data(), plaintext->size());
  plaintext->clear();
  return works ? Unopenable() : CipherFailure();
}

}  // namespace topicwall::sealing
