// The gRPC face of the wall: proto/wall.proto, method by method.
//
// Each method finds the caller, asks the Authorizer, and hands over to what does the
// work (wall_queries.h, private_e_step.h, the ledger); nothing is decided here. Every
// finished call is one line of the event log: principal and certificate, method, corpus or plan as
// the request names them, code; but how many lines a principal can cause is bounded.
//
// Threads: gRPC calls the methods from many threads at once.
#ifndef TOPICWALL_SERVER_GATE_WALL_SERVICE_H_
#define TOPICWALL_SERVER_GATE_WALL_SERVICE_H_

#include "absl/functional/function_ref.h"
#include "proto/wall.grpc.pb.h"
#include "server/vault/wall.h"

namespace topicwall::server {

class WallService final : public v1::PrivacyWall::Service {
 public:
  // `wall` must outlive the service.
  explicit WallService(Wall* wall) : wall_(*wall) {}

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
  // A caller's right to a corpus, with the corpus.
  struct Admitted {
    CorpusGrant grant;
    ServedCorpus* corpus;
  };

  absl::StatusOr<Admitted> Admit(const grpc::ServerContext& context, absl::string_view corpus,
                                 Activity activity);
  // The analyst who calls, for methods that name a plan.
  absl::StatusOr<Caller> Analyst(const grpc::ServerContext& context);
  // The plan's state if its corpus is still the caller's.
  absl::StatusOr<v1::PlanState> OwnPlan(const Caller& caller, absl::string_view plan_id);
  // What the log says of a call.
  struct CallNote {
    absl::string_view method;
    absl::string_view corpus = {};
    absl::string_view plan_id = {};
    int iteration = 0;
  };
  // Does `work` if the caller's certificate, connections and calls at once allow it, and logs it.
  grpc::Status Serve(const grpc::ServerContext& context, const CallNote& note,
                     absl::FunctionRef<absl::Status()> work);

  Wall& wall_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_WALL_SERVICE_H_
