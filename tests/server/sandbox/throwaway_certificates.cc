#include "tests/server/sandbox/throwaway_certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdint>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "server/random/secure_random.h"

namespace topicwall::sandbox {
namespace {

constexpr long kDay = 86'400;
constexpr long kLifetime = 10 * kDay;
constexpr int kX509Version3 = 2;

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

absl::Status Failed() { return absl::InternalError("OpenSSL could not make a certificate"); }

std::string TextOf(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string PemOf(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || PEM_write_bio_X509(bio.get(), certificate) != 1) return "";
  return TextOf(bio.get());
}

std::string PemOf(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr ||
      PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return "";
  }
  return TextOf(bio.get());
}

bool AddExtension(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  if (extension == nullptr) return false;
  const bool added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

}  // namespace

ThrowawayAuthority::Certificate ThrowawayAuthority::Draft(EVP_PKEY* subject, const char* name) {
  Certificate certificate(X509_new());
  const auto serial = random::Random128();
  if (certificate == nullptr || !serial.ok()) return nullptr;
  uint64_t number = 1;
  for (int i = 0; i < 7; ++i) number = number << 8 | (*serial)[static_cast<std::size_t>(i)];
  X509_NAME* subject_name = X509_get_subject_name(certificate.get());
  const bool made =
      X509_set_version(certificate.get(), kX509Version3) == 1 &&
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), number) == 1 &&
      X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDay) != nullptr &&
      X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kLifetime) != nullptr &&
      X509_NAME_add_entry_by_txt(subject_name, "CN", MBSTRING_ASC,
                                 reinterpret_cast<const unsigned char*>(name), -1, -1, 0) == 1 &&
      X509_set_pubkey(certificate.get(), subject) == 1;
  return made ? std::move(certificate) : nullptr;
}

absl::StatusOr<std::unique_ptr<ThrowawayAuthority>> ThrowawayAuthority::Create() {
  Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Failed();
  Certificate certificate = Draft(key.get(), "Topicwall test");
  if (certificate == nullptr ||
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get())) != 1 ||
      !AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE") ||
      !AddExtension(certificate.get(), NID_key_usage, "critical,keyCertSign,cRLSign") ||
      X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) {
    return Failed();
  }
  std::string pem = PemOf(certificate.get());
  if (pem.empty()) return Failed();
  return std::unique_ptr<ThrowawayAuthority>(
      new ThrowawayAuthority(std::move(key), std::move(certificate), std::move(pem)));
}

absl::StatusOr<PemPair> ThrowawayAuthority::Issue(const char* name, const char* usage,
                                                  const std::string& alternative_name) const {
  const Key key(EVP_EC_gen("P-256"));
  if (key == nullptr) return Failed();
  const Certificate certificate = Draft(key.get(), name);
  if (certificate == nullptr ||
      X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get())) != 1 ||
      !AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE") ||
      !AddExtension(certificate.get(), NID_key_usage, "critical,digitalSignature") ||
      !AddExtension(certificate.get(), NID_ext_key_usage, usage) ||
      !AddExtension(certificate.get(), NID_subject_alt_name, alternative_name) ||
      X509_sign(certificate.get(), key_.get(), EVP_sha256()) == 0) {
    return Failed();
  }
  PemPair pair = {.certificate = PemOf(certificate.get()), .private_key = PemOf(key.get())};
  if (pair.certificate.empty() || pair.private_key.empty()) return Failed();
  return pair;
}

absl::StatusOr<PemPair> ThrowawayAuthority::IssueServer() const {
  return Issue("Topicwall test server", "serverAuth", "IP:127.0.0.1,DNS:localhost");
}

absl::StatusOr<PemPair> ThrowawayAuthority::IssueClient(const std::string& uri) const {
  return Issue("Topicwall test client", "clientAuth", "URI:" + uri);
}

}  // namespace topicwall::sandbox
