#include "server/audit/walls/throwaway_certificates.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

struct Free {
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

Certificate Read(const std::string& pem) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

Key ReadKey(const std::string& pem) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return Key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
}

bool SignedBy(X509* certificate, X509* authority) {
  return X509_verify(certificate, X509_get0_pubkey(authority)) == 1 &&
         X509_check_issued(authority, certificate) == X509_V_OK;
}

TEST(ThrowawayAuthorityTest, SignsWhatItIssuesAndNothingElse) {
  const auto authority = ThrowawayAuthority::Create();
  const auto other = ThrowawayAuthority::Create();
  ASSERT_OK(authority);
  ASSERT_OK(other);
  const Certificate root = Read((*authority)->certificate());
  const Certificate stranger = Read((*other)->certificate());
  const auto server = (*authority)->IssueServer();
  const auto client = (*authority)->IssueClient("spiffe://topicwall/audit/alice");
  ASSERT_OK(server);
  ASSERT_OK(client);
  for (const PemPair& pair : {*server, *client}) {
    const Certificate certificate = Read(pair.certificate);
    ASSERT_NE(certificate, nullptr);
    EXPECT_TRUE(SignedBy(certificate.get(), root.get()));
    EXPECT_FALSE(SignedBy(certificate.get(), stranger.get()));
    EXPECT_EQ(X509_check_private_key(certificate.get(), ReadKey(pair.private_key).get()), 1);
    EXPECT_EQ(X509_check_ca(certificate.get()), 0) << "cannot sign others";
    EXPECT_EQ(X509_cmp_current_time(X509_get0_notBefore(certificate.get())), -1);
    EXPECT_EQ(X509_cmp_current_time(X509_get0_notAfter(certificate.get())), 1);
  }
}

TEST(ThrowawayAuthorityTest, NamesTheLoopbackServerAndTheClientsUri) {
  const auto authority = ThrowawayAuthority::Create();
  ASSERT_OK(authority);
  const auto server = (*authority)->IssueServer();
  ASSERT_OK(server);
  const Certificate certificate = Read(server->certificate);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate.get(), "127.0.0.2", 0), 0);
  const std::string uri = "spiffe://topicwall/audit/alice";
  const auto client = (*authority)->IssueClient(uri);
  ASSERT_OK(client);
  const Certificate of_client = Read(client->certificate);
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(of_client.get(), NID_subject_alt_name, nullptr, nullptr));
  ASSERT_EQ(sk_GENERAL_NAME_num(names), 1);
  const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, 0);
  ASSERT_EQ(name->type, GEN_URI);
  EXPECT_EQ(
      std::string(
          reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.uniformResourceIdentifier)),
          static_cast<std::size_t>(ASN1_STRING_length(name->d.uniformResourceIdentifier))),
      uri);
  GENERAL_NAMES_free(names);
}

}  // namespace
}  // namespace topicwall::audit
