#include "server/audit/walls/wall_probe.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "base/status_macros.h"
#include "proto/grpc_status.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "server/random/secure_random.h"

namespace topicwall::audit {
namespace {

using Stub = v1::PrivacyWall::Stub;

template <typename Reply, typename Request>
absl::StatusOr<Reply> Ask(Stub& stub, const Request& request,
                          grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                       Reply*)) {
  grpc::ClientContext context;
  Reply reply;
  TW_RETURN_IF_ERROR(proto::FromGrpcStatus((stub.*method)(&context, request, &reply)));
  return reply;
}

template <typename Reader>
absl::StatusOr<ReceivedRelease> Receive(Reader& reader) {
  ReceivedRelease received;
  std::string bytes;
  v1::ReleaseChunk chunk;
  while (reader.Read(&chunk)) {
    received.message_sizes.push_back(chunk.ByteSizeLong());
    if (chunk.has_header()) received.header = chunk.header();
    if (chunk.has_statistics()) bytes += chunk.statistics().values();
  }
  TW_RETURN_IF_ERROR(proto::FromGrpcStatus(reader.Finish()));
  TW_ASSIGN_OR_RETURN(received.statistics, proto::FloatsFromLittleEndian(bytes));
  const int64_t entries = received.header.rows() * received.header.columns();
  if (static_cast<int64_t>(received.statistics.size()) != entries) {
    return absl::InternalError("a release is not as long as its header says");
  }
  return received;
}

std::shared_ptr<grpc::Channel> Connect(const std::string& address, const std::string& authority,
                                       const PemPair& pair) {
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = authority;
  options.pem_cert_chain = pair.certificate;
  options.pem_private_key = pair.private_key;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // A connection of its own: principals must not share one.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::SslCredentials(options), arguments);
}

}  // namespace

WallProbe::WallProbe(const std::string& address, const std::string& authority, const PemPair& pair)
    : stub_(v1::PrivacyWall::NewStub(Connect(address, authority, pair))) {}

absl::StatusOr<v1::CorpusDescription> WallProbe::Describe(const std::string& corpus) const {
  v1::DescribeCorpusRequest request;
  request.set_corpus(corpus);
  return Ask<v1::CorpusDescription>(*stub_, request, &Stub::DescribeCorpus);
}

absl::StatusOr<std::string> WallProbe::Vocabulary(const std::string& corpus) const {
  grpc::ClientContext context;
  v1::GetVocabularyRequest request;
  request.set_corpus(corpus);
  const auto reader = stub_->GetVocabulary(&context, request);
  std::string terms;
  v1::VocabularyChunk chunk;
  while (reader->Read(&chunk)) {
    for (const std::string& term : chunk.terms()) terms += term + "\n";
  }
  TW_RETURN_IF_ERROR(proto::FromGrpcStatus(reader->Finish()));
  return terms;
}

absl::StatusOr<v1::PlanPrice> WallProbe::Price(const v1::ReleaseSpec& plan) const {
  v1::PricePlanRequest request;
  *request.mutable_plan() = plan;
  return Ask<v1::PlanPrice>(*stub_, request, &Stub::PricePlan);
}

absl::StatusOr<v1::PlanState> WallProbe::Reserve(const v1::ReleaseSpec& plan) const {
  TW_ASSIGN_OR_RETURN(const auto id, random::Random128());
  v1::ReservePlanRequest request;
  request.set_request_id(std::string(id.begin(), id.end()));
  *request.mutable_plan() = plan;
  TW_ASSIGN_OR_RETURN(v1::PlanState state, Ask<v1::PlanState>(*stub_, request, &Stub::ReservePlan));
  absl::MutexLock lock(&mutex_);
  specs_[state.plan_id()] = plan;
  return state;
}

absl::StatusOr<v1::PlanState> WallProbe::Cancel(const std::string& plan_id) const {
  v1::CancelPlanRequest request;
  request.set_plan_id(plan_id);
  return Ask<v1::PlanState>(*stub_, request, &Stub::CancelPlan);
}

absl::StatusOr<v1::PlanState> WallProbe::GetPlan(const std::string& plan_id) const {
  v1::GetPlanRequest request;
  request.set_plan_id(plan_id);
  return Ask<v1::PlanState>(*stub_, request, &Stub::GetPlan);
}

absl::StatusOr<v1::ListPlansResponse> WallProbe::Plans(const std::string& corpus) const {
  v1::ListPlansRequest request;
  request.set_corpus(corpus);
  return Ask<v1::ListPlansResponse>(*stub_, request, &Stub::ListPlans);
}

absl::StatusOr<v1::BudgetStatus> WallProbe::Budget(const std::string& corpus) const {
  v1::GetBudgetRequest request;
  request.set_corpus(corpus);
  return Ask<v1::BudgetStatus>(*stub_, request, &Stub::GetBudget);
}

absl::StatusOr<std::vector<v1::LedgerEvent>> WallProbe::ReadLedger(
    const std::string& corpus) const {
  grpc::ClientContext context;
  v1::ReadLedgerRequest request;
  request.set_corpus(corpus);
  const auto reader = stub_->ReadLedger(&context, request);
  std::vector<v1::LedgerEvent> events;
  v1::LedgerEntry entry;
  while (reader->Read(&entry)) {
    if (entry.event().empty()) continue;
    v1::LedgerEvent event;
    if (!event.ParseFromString(entry.event())) {
      return absl::InternalError("the ledger sent an event that is none");
    }
    events.push_back(std::move(event));
  }
  TW_RETURN_IF_ERROR(proto::FromGrpcStatus(reader->Finish()));
  return events;
}

absl::StatusOr<ReceivedRelease> WallProbe::RunRelease(const std::string& plan_id, int iteration,
                                                      const ReleaseQuestion& question) const {
  v1::RunReleaseRequest part;
  v1::RunReleaseHeader* header = part.mutable_header();
  header->set_plan_id(plan_id);
  header->set_iteration(iteration);
  header->set_clip_norm(question.clip_norm);
  {
    absl::MutexLock lock(&mutex_);
    header->set_request_digest(
        base::DigestBytes(proto::RequestDigest(*header, specs_[plan_id], question.log_topics)));
  }
  if (!question.forged_digest.empty()) header->set_request_digest(question.forged_digest);
  grpc::ClientContext context;
  const auto stream = stub_->RunRelease(&context);
  stream->Write(part);
  proto::ForEachChunk(question.log_topics, [&](const v1::FloatChunk& chunk) {
    *part.mutable_parameters() = chunk;
    return stream->Write(part) ? absl::OkStatus() : absl::CancelledError("");
  }).IgnoreError();  // a refused stream says why when it is finished
  stream->WritesDone();
  return Receive(*stream);
}

absl::StatusOr<ReceivedRelease> WallProbe::GetRelease(const std::string& plan_id,
                                                      int iteration) const {
  grpc::ClientContext context;
  v1::GetReleaseRequest request;
  request.set_plan_id(plan_id);
  request.set_iteration(iteration);
  const auto reader = stub_->GetRelease(&context, request);
  return Receive(*reader);
}

}  // namespace topicwall::audit
