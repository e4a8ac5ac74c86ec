// A wall's service over real mutual TLS whose answers a test makes up, for what the program does
// with them; and the certificates of such a service and of one analyst, alice, in a folder tls/,
// made by deploy/make-certificates as for a real wall.
#ifndef TOPICWALL_TESTS_CLIENT_WALL_SERVICE_DOUBLE_H_
#define TOPICWALL_TESTS_CLIENT_WALL_SERVICE_DOUBLE_H_

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/wall/profile.h"
#include "client/wall/wall_port.h"
#include "proto/grpc_status.h"
#include "proto/matrix_codec.h"
#include "proto/wall.grpc.pb.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {

inline bool MakeCertificates(const std::string& folder) {
  const std::string make = absl::StrCat(TOPICWALL_SOURCE_DIR, "/deploy/make-certificates --output ",
                                        folder, "/tls --analyst alice > /dev/null 2>&1");
  return std::system(make.c_str()) == 0;
}
inline std::string Certificate(const std::string& folder, const char* name) {
  return testing::ReadWholeFile(absl::StrCat(folder, "/tls/", name));
}
inline std::shared_ptr<grpc::ServerCredentials> ServersTls(const std::string& folder) {
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = Certificate(folder, "ca.pem");
  tls.pem_key_cert_pairs.push_back(
      {Certificate(folder, "server.key"), Certificate(folder, "server.pem")});
  return grpc::SslServerCredentials(tls);
}
inline Credentials AlicesCredentials(const std::string& folder) {
  return {.ca = Certificate(folder, "ca.pem"),
          .certificate = Certificate(folder, "alice.pem"),
          .private_key = Certificate(folder, "alice.key")};
}

class WallServiceDouble : public v1::PrivacyWall::Service {
 public:
  // Answers with what `wall` answers. `folder` gets the certificates.
  WallServiceDouble(WallPort& wall, const std::string& folder)
      : wall_(wall), folder_(folder), made_(MakeCertificates(folder)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", ServersTls(folder), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~WallServiceDouble() override { server_->Shutdown(); }

  bool is_up() const { return made_ && server_ != nullptr && port_ != 0; }
  std::string address() const { return absl::StrCat("127.0.0.1:", port_); }
  Credentials credentials() const { return AlicesCredentials(folder_); }
  // Alice's, as a file holds it.
  std::string profile() const {
    return absl::StrCat("server: \"", address(), "\" ca_file: \"", folder_,
                        "/tls/ca.pem\" certificate_file: \"", folder_,
                        "/tls/alice.pem\" private_key_file: \"", folder_, "/tls/alice.key\"");
  }

  // ListPlans answers in pages of so many.
  int page_size = 2;
  int pages_asked = 0;
  bool pages_go_in_a_circle = false;

  grpc::Status DescribeCorpus(grpc::ServerContext*, const v1::DescribeCorpusRequest* request,
                              v1::CorpusDescription* reply) override {
    return Answer(wall_.DescribeCorpus(request->corpus()), reply);
  }
  grpc::Status GetVocabulary(grpc::ServerContext*, const v1::GetVocabularyRequest* request,
                             grpc::ServerWriter<v1::VocabularyChunk>* writer) override {
    const auto terms = wall_.GetVocabulary(request->corpus(), 1 << 20);
    v1::VocabularyChunk chunk;
    if (terms.ok()) chunk.mutable_terms()->Assign(terms->begin(), terms->end());
    writer->Write(chunk);
    return proto::ToGrpcStatus(terms.status());
  }
  grpc::Status PricePlan(grpc::ServerContext*, const v1::PricePlanRequest* request,
                         v1::PlanPrice* reply) override {
    return Answer(wall_.PricePlan(request->plan()), reply);
  }
  grpc::Status GetPlan(grpc::ServerContext*, const v1::GetPlanRequest* request,
                       v1::PlanState* reply) override {
    return Answer(wall_.GetPlan(request->plan_id()), reply);
  }
  grpc::Status ReservePlan(grpc::ServerContext*, const v1::ReservePlanRequest* request,
                           v1::PlanState* reply) override {
    return Answer(wall_.ReservePlan(*request), reply);
  }
  grpc::Status CancelPlan(grpc::ServerContext*, const v1::CancelPlanRequest* request,
                          v1::PlanState* reply) override {
    return Answer(wall_.CancelPlan(request->plan_id()), reply);
  }
  grpc::Status GetRelease(grpc::ServerContext*, const v1::GetReleaseRequest* request,
                          grpc::ServerWriter<v1::ReleaseChunk>* writer) override {
    const auto release = wall_.GetRelease(request->plan_id(), request->iteration(), {});
    if (!release.ok()) return proto::ToGrpcStatus(release.status());
    v1::ReleaseChunk chunk;
    *chunk.mutable_header() = release->header;
    writer->Write(chunk);
    return proto::ToGrpcStatus(
        proto::ForEachChunk(release->statistics, [&](const v1::FloatChunk& statistics) {
          *chunk.mutable_statistics() = statistics;
          return writer->Write(chunk) ? absl::OkStatus() : absl::CancelledError();
        }));
  }
  grpc::Status ListPlans(grpc::ServerContext*, const v1::ListPlansRequest* request,
                         v1::ListPlansResponse* reply) override {
    ++pages_asked;
    const auto plans = wall_.ListPlans(request->corpus());
    if (!plans.ok()) return proto::ToGrpcStatus(plans.status());
    const int all = static_cast<int>(plans->size());
    const int from = request->page_token().empty() ? 0 : std::stoi(request->page_token());
    for (int i = from; i < std::min(from + page_size, all); ++i) {
      *reply->add_plans() = (*plans)[static_cast<size_t>(i)];
    }
    if (from + page_size < all) {
      reply->set_next_page_token(absl::StrCat(from + page_size));
    } else if (pages_go_in_a_circle) {
      reply->set_next_page_token("0");
    }
    return grpc::Status::OK;
  }
  grpc::Status GetBudget(grpc::ServerContext*, const v1::GetBudgetRequest* request,
                         v1::BudgetStatus* reply) override {
    return Answer(wall_.GetBudget(request->corpus()), reply);
  }
  grpc::Status ReadLedger(grpc::ServerContext*, const v1::ReadLedgerRequest* request,
                          grpc::ServerWriter<v1::LedgerEntry>* writer) override {
    const auto entries = wall_.ReadLedger(request->corpus(), request->first_sequence());
    if (!entries.ok()) return proto::ToGrpcStatus(entries.status());
    for (const v1::LedgerEntry& entry : *entries) writer->Write(entry);
    return grpc::Status::OK;
  }

 private:
  template <typename Message>
  static grpc::Status Answer(absl::StatusOr<Message> answer, Message* reply) {
    if (answer.ok()) *reply = *std::move(answer);
    return proto::ToGrpcStatus(answer.status());
  }

  WallPort& wall_;
  const std::string folder_;
  const bool made_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_WALL_SERVICE_DOUBLE_H_
