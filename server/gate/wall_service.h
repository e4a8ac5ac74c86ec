// The gRPC face of the wall: proto/wall.proto, method by method.
//
// Each method finds the caller, sees to it that they have no more connections and calls than they
// may, and hands their request to the vault as an act; nothing is decided here. Every finished call
// is one line of the event log: principal and certificate, method, corpus or plan as the request
// names them, code; but how many lines a principal can cause is bounded.
//
// Threads: gRPC calls the methods from many threads at once.
#ifndef TOPICWALL_SERVER_GATE_WALL_SERVICE_H_
#define TOPICWALL_SERVER_GATE_WALL_SERVICE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/wall.grpc.pb.h"
#include "server/access/authorizer.h"
#include "server/access/call_places.h"
#include "server/access/open_connections.h"
#include "server/acts/act_handler.h"
#include "server/gate/peer_certificate.h"
#include "server/log/event_log.h"

namespace topicwall::server {

class WallService final : public v1::PrivacyWall::Service {
 public:
  // All must outlive the service.
  struct Parts {
    const Authorizer& authorizer;
    PeerCertificates& certificates;
    OpenConnections& connections;
    CallPlaces& places;
    acts::ActHandler& vault;
    EventLog& log;
  };
  explicit WallService(const Parts& parts) : parts_(parts) {}

  grpc::Status DescribeCorpus(grpc::ServerContext* context,
                              const v1::DescribeCorpusRequest* request,
                              v1::CorpusDescription* reply) override;
  grpc::Status GetVocabulary(grpc::ServerContext* context, const v1::GetVocabularyRequest* request,
                             grpc::ServerWriter<v1::VocabularyChunk>* writer) override;
  grpc::Status PricePlan(grpc::ServerContext* context, const v1::PricePlanRequest* request,
                         v1::PlanPrice* reply) override;
  grpc::Status ReservePlan(grpc::ServerContext* context, const v1::ReservePlanRequest* request,
                           v1::PlanState* reply) override;
  grpc::Status CancelPlan(grpc::ServerContext* context, const v1::CancelPlanRequest* request,
                          v1::PlanState* reply) override;
  grpc::Status GetPlan(grpc::ServerContext* context, const v1::GetPlanRequest* request,
                       v1::PlanState* reply) override;
  grpc::Status ListPlans(grpc::ServerContext* context, const v1::ListPlansRequest* request,
                         v1::ListPlansResponse* reply) override;
  grpc::Status RunRelease(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::ReleaseChunk, v1::RunReleaseRequest>* stream) override;
  grpc::Status GetRelease(grpc::ServerContext* context, const v1::GetReleaseRequest* request,
                          grpc::ServerWriter<v1::ReleaseChunk>* writer) override;
  grpc::Status GetBudget(grpc::ServerContext* context, const v1::GetBudgetRequest* request,
                         v1::BudgetStatus* reply) override;
  grpc::Status ReadLedger(grpc::ServerContext* context, const v1::ReadLedgerRequest* request,
                          grpc::ServerWriter<v1::LedgerEntry>* writer) override;

 private:
  // What the log says of a call.
  struct CallNote {
    absl::string_view method;
    absl::string_view corpus = {};
    absl::string_view plan_id = {};
    int iteration = 0;
  };
  // Does `work` for the caller if their certificate, connections and calls at once allow it, and
  // logs it.
  grpc::Status Serve(const grpc::ServerContext& context, const CallNote& note,
                     absl::FunctionRef<absl::Status(const Caller&)> work);
  // The same with the vault's work. `act` has all but the caller's name.
  grpc::Status Ask(const grpc::ServerContext& context, const CallNote& note, v1::Act act,
                   acts::ActStream&& stream);

  const Parts parts_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_WALL_SERVICE_H_
