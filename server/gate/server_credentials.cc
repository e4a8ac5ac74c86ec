// gRPC reads the three files again by itself, and tells nobody when they do not fit together. So
// they are looked at here as well, with OpenSSL: before the start, where a fault is an error with
// the file's name, and after each change, where it is an alarm.
#include "server/gate/server_credentials.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/durable_file.h"
#include "base/status_macros.h"

namespace topicwall::server {
namespace {

constexpr unsigned int kRefreshSeconds = 5;
// After the one that saw another CA: gRPC, which reads as often, has read it by then.
constexpr int kLooksUntilNewCa = 2;
// In a row, without one of the files: it may be between two renames at the first.
constexpr int kMostUnreadableLooks = 2;
constexpr int64_t kMostPemBytes = int64_t{1} << 20;

template <typename T, void (*Free)(T*)>
struct Freer {
  void operator()(T* object) const { Free(object); }
};
using Bio = std::unique_ptr<BIO, Freer<BIO, BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freer<X509, X509_free>>;
using AlternativeNames = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES, GENERAL_NAMES_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;

absl::StatusOr<Bio> ReadPem(absl::string_view field, const std::string& path) {
  const absl::StatusOr<std::string> pem = base::ReadWholeFile(path, kMostPemBytes);
  if (!pem.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(field,
                                                   " cannot be read: ", pem.status().message(),
                                                   "; check the path, its permissions and size"));
  }
  Bio bio(BIO_new(BIO_s_mem()));
  BIO_write(bio.get(), pem->data(), static_cast<int>(pem->size()));
  return bio;
}

// All of the file: the server's own and those that lead to its CA, or each CA.
absl::StatusOr<std::vector<Certificate>> ReadCertificates(absl::string_view field,
                                                          const std::string& path) {
  TW_ASSIGN_OR_RETURN(const Bio bio, ReadPem(field, path));
  std::vector<Certificate> certificates;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next);
  }
  ERR_clear_error();  // of the file's end
  if (certificates.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, " must hold a certificate in PEM; ", path, " does not"));
  }
  return certificates;
}

// Whether it says for which hosts it is: without that a client finds none that it may believe.
bool NamesAHost(X509* certificate) {
  const AlternativeNames names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const int type = sk_GENERAL_NAME_value(names.get(), i)->type;
    if (type == GEN_DNS || type == GEN_IPADD) return true;
  }
  return false;
}

absl::Time TimeOf(const ASN1_TIME* time) {
  tm parts{};
  ASN1_TIME_to_tm(time, &parts);
  return absl::FromTM(parts, absl::UTCTimeZone());
}

// Of each, appended to `all`; returns whether any has not expired.
bool AppendDates(absl::string_view field, const std::string& path,
                 const std::vector<Certificate>& certificates, std::vector<CertificateDates>* all) {
  bool any = false;
  for (const Certificate& certificate : certificates) {
    char name[256];
    X509_NAME_oneline(X509_get_subject_name(certificate.get()), name, sizeof(name));
    all->push_back({.field = std::string(field),
                    .certificate = absl::StrCat(path, ", ", name),
                    .begin = TimeOf(X509_get0_notBefore(certificate.get())),
                    .end = TimeOf(X509_get0_notAfter(certificate.get()))});
    any = any || absl::Now() < all->back().end;
  }
  return any;
}

// What clients would refuse one by one, each told only that its connection failed.
absl::Status RequireAServers(X509* certificate, const std::string& path) {
  if (X509_check_purpose(certificate, X509_PURPOSE_SSL_SERVER, /*ca=*/0) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("tls.certificate must be one for TLS servers; ", path,
                     " is for something else. Issue one with extendedKeyUsage serverAuth."));
  }
  if (!NamesAHost(certificate)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tls.certificate must name the host that analysts connect to; ", path,
        " names none. Issue one with it as a DNS name or an address in subjectAltName."));
  }
  return absl::OkStatus();
}

// A change of any of the three files changes this.
std::string StampOf(const v1::TlsFiles& files) {
  std::string stamp;
  for (const std::string& path : {files.certificate(), files.private_key(), files.client_ca()}) {
    std::error_code error;
    const auto time = std::filesystem::last_write_time(path, error);
    absl::StrAppend(&stamp, time.time_since_epoch().count(), ":",
                    std::filesystem::file_size(path, error), ";");
  }
  return stamp;
}

absl::Status CheckReadable(const v1::TlsFiles& files) {
  TW_RETURN_IF_ERROR(ReadPem("tls.certificate", files.certificate()).status());
  TW_RETURN_IF_ERROR(ReadPem("tls.private_key", files.private_key()).status());
  return ReadPem("tls.client_ca", files.client_ca()).status();
}

}  // namespace

// That the key belongs to the certificate is what a half-done renewal gets wrong; gRPC would say so
// to nobody.
absl::StatusOr<std::vector<CertificateDates>> CheckTlsFiles(const v1::TlsFiles& files) {
  TW_ASSIGN_OR_RETURN(const std::vector<Certificate> certificates,
                      ReadCertificates("tls.certificate", files.certificate()));
  TW_ASSIGN_OR_RETURN(const std::vector<Certificate> authorities,
                      ReadCertificates("tls.client_ca", files.client_ca()));
  X509* const certificate = certificates.front().get();
  TW_ASSIGN_OR_RETURN(const Bio bio, ReadPem("tls.private_key", files.private_key()));
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || X509_check_private_key(certificate, key.get()) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("tls.private_key must be the unencrypted PEM key of tls.certificate; ",
                     files.private_key(), " is not. Install the pair that belongs together."));
  }
  TW_RETURN_IF_ERROR(RequireAServers(certificate, files.certificate()));
  std::vector<CertificateDates> dates;
  AppendDates("tls.certificate", files.certificate(), certificates, &dates);
  if (!(absl::Now() < dates.front().end)) {
    return absl::InvalidArgumentError(WarningOf(dates.front(), absl::Now())->text);
  }
  if (!AppendDates("tls.client_ca", files.client_ca(), authorities, &dates)) {
    return absl::InvalidArgumentError(WarningOf(dates.back(), absl::Now())->text);
  }
  return dates;
}

std::optional<CertificateWarning> WarningOf(const CertificateDates& dates, absl::Time now) {
  const auto date = [](absl::Time time) {
    return absl::FormatTime("%Y-%m-%d %H:%M UTC", time, absl::UTCTimeZone());
  };
  if (now < dates.begin) {
    return CertificateWarning{
        kAlarmCertificateBegins,
        absl::StrCat(
            dates.field, " is valid from ", date(dates.begin), " on (", dates.certificate,
            "), and it is ", date(now),
            " by this machine's clock: nobody connects by it before. Is the clock right?")};
  }
  if (now < dates.end - kCertificateNotice) return std::nullopt;
  const bool is_authority = dates.field == "tls.client_ca";
  return CertificateWarning{
      kAlarmCertificateEnds,
      absl::StrCat(
          dates.field, now < dates.end ? " ends on " : " ended on ", date(dates.end), " (",
          dates.certificate, "), and nobody ",
          is_authority ? "with a certificate of this authority " : "", "can connect from then on; ",
          is_authority ? "give everyone certificates of a new authority, or remove it from the file"
                       : "issue a new one")};
}

ServerCredentials::ServerCredentials(const v1::TlsFiles& files, const Verifier& verifier,
                                     std::vector<CertificateDates> dates, EventLog* log,
                                     std::function<void()> on_new_ca, std::function<void()> end)
    : files_(files),
      log_(log),
      on_new_ca_(std::move(on_new_ca)),
      end_(std::move(end)),
      ca_(base::ReadWholeFile(files.client_ca(), kMostPemBytes).value_or("")),
      dates_(std::move(dates)) {
  auto provider = std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      files.private_key(), files.certificate(), files.client_ca(), kRefreshSeconds);
  grpc::experimental::TlsServerCredentialsOptions options(provider);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  // The chain is verified by TLS before it is asked.
  options.set_certificate_verifier(verifier);
  credentials_ = grpc::experimental::TlsServerCredentials(options);
  watcher_ = std::thread([this] { Watch(); });
}

absl::StatusOr<std::unique_ptr<ServerCredentials>> ServerCredentials::Create(
    const v1::TlsFiles& files, const Verifier& verifier, EventLog* log,
    std::function<void()> on_new_ca, std::function<void()> end) {
  TW_ASSIGN_OR_RETURN(std::vector<CertificateDates> dates, CheckTlsFiles(files));
  return std::unique_ptr<ServerCredentials>(new ServerCredentials(
      files, verifier, std::move(dates), log, std::move(on_new_ca), std::move(end)));
}

ServerCredentials::~ServerCredentials() {
  stop_.Notify();
  watcher_.join();
}

// A server may run for longer than its certificate is valid.
void ServerCredentials::LookAtDates() {
  const absl::Duration now = base::SteadyNow();
  if (now - told_ < absl::Hours(24)) return;
  for (const CertificateDates& dates : dates_) {
    const std::optional<CertificateWarning> warning = WarningOf(dates, absl::Now());
    if (!warning.has_value()) continue;
    told_ = now;
    log_->Write(LogEvent::kAlarm,
                {{LogField::kAlarm, warning->alarm}, {LogField::kReason, warning->text}});
  }
}

// By what it says: a file that was only written again turns nobody out.
void ServerCredentials::LookAtCa() {
  if (looks_until_new_ca_ > 0 && --looks_until_new_ca_ == 0) on_new_ca_();
  absl::StatusOr<std::string> ca = base::ReadWholeFile(files_.client_ca(), kMostPemBytes);
  if (!ca.ok() || *ca == ca_) return;
  ca_ = *std::move(ca);
  looks_until_new_ca_ = kLooksUntilNewCa;
}

void ServerCredentials::TellUnusable(const absl::Status& why) {
  log_->Write(LogEvent::kAlarm, {{LogField::kAlarm, kAlarmCredentials},
                                 {LogField::kReason, std::string(why.message())}});
}

// gRPC would go on for ever with what it read last, a CA that was replaced among it. Files that
// moved to another folder are such: they are there, and the sandbox knows the folder before alone.
void ServerCredentials::LookWhetherReadable() {
  const absl::Status readable = CheckReadable(files_);
  unreadable_looks_ = readable.ok() ? 0 : unreadable_looks_ + 1;
  if (unreadable_looks_ != kMostUnreadableLooks) return;
  TellUnusable(readable);
  end_();
}

// A clock that is set forward only has gRPC look earlier.
void ServerCredentials::LookAtClock() {
  const absl::Time began = absl::Now() - base::SteadyNow();
  if (began < began_ - absl::Seconds(kRefreshSeconds)) {
    log_->Alarm(kAlarmClockSetBack, "");
    end_();
  }
  began_ = began;
}

// The stamp is taken before the files are read: a change in between is another stamp, and seen the
// next time.
void ServerCredentials::Watch() {
  std::string seen = StampOf(files_);
  do {
    LookAtDates();
    LookAtCa();
    LookWhetherReadable();
    LookAtClock();
    const std::string stamp = StampOf(files_);
    if (stamp == seen) continue;
    seen = stamp;
    absl::StatusOr<std::vector<CertificateDates>> dates = CheckTlsFiles(files_);
    if (dates.ok()) {
      dates_ = *std::move(dates);
      log_->Write(LogEvent::kCredentialsReloaded, {});
    } else {
      TellUnusable(dates.status());
    }
  } while (!stop_.WaitFor(absl::Seconds(kRefreshSeconds)));
}

}  // namespace topicwall::server
