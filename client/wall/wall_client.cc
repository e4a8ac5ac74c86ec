// Three kinds of calls: unary ones, all through Call; streams from the wall
// (vocabulary, ledger, a stored release); and RunRelease, parameters up and a release down. All of
// them pass through Retry, and each try begins from nothing, with a context and a receiver of its
// own: a gRPC stream cannot be taken up in the middle, and what the first half of one said is not
// believed.
//
// A deadline is for one try; patience (retry.h) is for the waits between tries. What comes is
// bounded by what was expected, never by what the wall announces: a release by the shape that the
// plan's model has, a vocabulary by the description. Chains and lists of plans, which have no bound
// but the life of their budget, by what an export of a chain may have (WallConnection::most_bytes).
#include "client/wall/wall_client.h"

#include <google/protobuf/message.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "client/wall/retry.h"
#include "client/wall/wall_channel.h"
#include "client/wall/wall_try.h"
#include "proto/matrix_codec.h"
#include "proto/wall.grpc.pb.h"

namespace topicwall::client {
namespace {

constexpr absl::Duration kQueryDeadline = absl::Minutes(1);
// For a turn in the queue and an interval of an hour. Whoever is cut off has lost nothing: the
// release is computed, stored, and found by the same request.
constexpr absl::Duration kReleaseDeadline = absl::Hours(3);

absl::Status NotTheProtocol(absl::string_view what) {
  return absl::InternalError(
      absl::StrCat("the wall's answer is not what the protocol says: ", what,
                   ". Check that client and server are of the same version."));
}

// All that a stream brings, until `take` refuses some of it.
template <typename Message, typename Reader, typename Take>
absl::Status ReadAll(Reader& reader, grpc::ClientContext& context, const Take& take) {
  absl::Status taken;
  Message message;
  while (taken.ok() && reader.Read(&message)) taken = take(Known(message));
  if (!taken.ok()) context.TryCancel();  // or Finish would wait for what nobody reads
  const absl::Status finished = ToldBy(reader.Finish());
  return taken.ok() ? finished : taken;
}

// Puts together what either of the two streams sends: a header, then chunks.
class ReleaseAssembler {
 public:
  static absl::StatusOr<ReleaseAssembler> Create(const ReleaseShape& shape) {
    TW_ASSIGN_OR_RETURN(
        proto::MatrixAssembler matrix,
        proto::MatrixAssembler::Create({.rows = shape.rows(), .columns = shape.period}));
    return ReleaseAssembler(std::move(matrix));
  }

  absl::Status Add(v1::ReleaseChunk& chunk) {
    // Says both: the first chunk is the header, and no other is.
    if (chunk.has_header() == has_header_) return NotTheProtocol("one header must come first");
    if (has_header_) return matrix_.Add(chunk.statistics());
    header_ = std::move(*chunk.mutable_header());
    has_header_ = true;
    return absl::OkStatus();
  }

  absl::StatusOr<Release> Finish() && {
    if (!has_header_) return NotTheProtocol("a release without a header");
    TW_ASSIGN_OR_RETURN(std::vector<float> statistics, std::move(matrix_).Finish());
    return Release{std::move(header_), std::move(statistics)};
  }

 private:
  explicit ReleaseAssembler(proto::MatrixAssembler matrix) : matrix_(std::move(matrix)) {}

  proto::MatrixAssembler matrix_;
  v1::ReleaseHeader header_;
  bool has_header_ = false;
};

template <typename Reader>
absl::StatusOr<Release> ReadRelease(Reader& reader, grpc::ClientContext& context,
                                    const ReleaseShape& shape) {
  TW_ASSIGN_OR_RETURN(ReleaseAssembler assembler, ReleaseAssembler::Create(shape));
  // A stream cut short is missing something too, but its own error says why.
  TW_RETURN_IF_ERROR(ReadAll<v1::ReleaseChunk>(
      reader, context, [&](v1::ReleaseChunk& chunk) { return assembler.Add(chunk); }));
  return std::move(assembler).Finish();
}

class WallClient : public WallPort {
 public:
  explicit WallClient(const WallConnection& params)
      : params_(params),
        channel_(MakeChannel(params.server, params.credentials)),
        stub_(v1::PrivacyWall::NewStub(channel_)),
        // A query waits for a server that is just being started; a release also for a full queue,
        // which empties at the pace of the release interval.
        queries_(Policy(absl::Seconds(4), absl::Seconds(2))),
        releases_(Policy(absl::Minutes(10), absl::Seconds(10))) {}

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override {
    v1::DescribeCorpusRequest request;
    request.set_corpus(std::string(corpus));
    TW_ASSIGN_OR_RETURN(v1::CorpusDescription description,
                        Call(&v1::PrivacyWall::Stub::DescribeCorpus, request));
    // What is asked next is asked under this name, and held against the notes of it.
    if (description.corpus() == corpus) return description;
    return absl::InternalError("the wall describes another corpus than was asked for.");
  }

  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                         int64_t max_terms) override {
    v1::GetVocabularyRequest request;
    request.set_corpus(std::string(corpus));
    return Retry(queries_, [&]() -> absl::StatusOr<std::vector<std::string>> {
      TryContext context(params_, kQueryDeadline);
      auto reader = stub_->GetVocabulary(context.get(), request);
      std::vector<std::string> terms;
      size_t bytes = 0;
      const auto take = [&](v1::VocabularyChunk& chunk) {
        bytes += chunk.ByteSizeLong();
        // Counted before they are kept: a stream without an end must not fill the memory.
        if (!(static_cast<int64_t>(terms.size()) + chunk.terms_size() <= max_terms &&
              bytes <= static_cast<size_t>(params_.most_bytes))) {
          return absl::InvalidArgumentError(absl::StrCat("the vocabulary must have ", max_terms,
                                                         " terms, of at most ", params_.most_bytes,
                                                         " bytes; more was sent."));
        }
        for (std::string& term : *chunk.mutable_terms()) terms.push_back(std::move(term));
        return absl::OkStatus();
      };
      TW_RETURN_IF_ERROR(ReadAll<v1::VocabularyChunk>(*reader, *context.get(), take));
      return terms;
    });
  }

  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override {
    v1::PricePlanRequest request;
    *request.mutable_plan() = plan;
    return Call(&v1::PrivacyWall::Stub::PricePlan, request);
  }

  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override {
    return Call(&v1::PrivacyWall::Stub::ReservePlan, request);
  }

  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) override {
    v1::CancelPlanRequest request;
    request.set_plan_id(std::string(plan_id));
    return Call(&v1::PrivacyWall::Stub::CancelPlan, request);
  }

  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override {
    v1::GetPlanRequest request;
    request.set_plan_id(std::string(plan_id));
    return Call(&v1::PrivacyWall::Stub::GetPlan, request);
  }

  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) override {
    v1::ListPlansRequest request;
    request.set_corpus(std::string(corpus));
    std::vector<v1::PlanState> plans;
    std::set<std::string> ids;
    size_t bytes = 0;
    while (true) {
      TW_ASSIGN_OR_RETURN(v1::ListPlansResponse page,
                          Call(&v1::PrivacyWall::Stub::ListPlans, request));
      const bool brings_none = page.plans().empty();
      for (v1::PlanState& plan : *page.mutable_plans()) {
        if (!ids.insert(plan.plan_id()).second)
          return NotTheProtocol("a plan that is listed twice");
        TW_RETURN_IF_ERROR(Count(plan, "a list of plans", &bytes));
        plans.push_back(std::move(plan));
      }
      if (page.next_page_token().empty()) return plans;
      // Else a wall that turns no page, or turns them in a circle, would keep this loop going for
      // ever.
      if (brings_none) return NotTheProtocol("a page without plans that is not the last");
      request.set_page_token(page.next_page_token());
    }
  }

  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> log_topics,
                                     const ReleaseShape& shape) override {
    return Retry(releases_, [&] { return RunReleaseOnce(header, log_topics, shape); });
  }

  absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                     const ReleaseShape& shape) override {
    v1::GetReleaseRequest request;
    request.set_plan_id(std::string(plan_id));
    request.set_iteration(iteration);
    return Retry(releases_, [&] {
      TryContext context(params_, kReleaseDeadline);
      auto reader = stub_->GetRelease(context.get(), request);
      return ReadRelease(*reader, *context.get(), shape);
    });
  }

  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view corpus) override {
    v1::GetBudgetRequest request;
    request.set_corpus(std::string(corpus));
    return Call(&v1::PrivacyWall::Stub::GetBudget, request);
  }

  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override {
    v1::ReadLedgerRequest request;
    request.set_corpus(std::string(corpus));
    request.set_first_sequence(first_sequence);
    return Retry(queries_, [&]() -> absl::StatusOr<std::vector<v1::LedgerEntry>> {
      TryContext context(params_, kQueryDeadline);
      auto reader = stub_->ReadLedger(context.get(), request);
      std::vector<v1::LedgerEntry> entries;
      size_t bytes = 0;
      const auto take = [&](v1::LedgerEntry& entry) {
        entries.push_back(std::move(entry));
        return Count(entries.back(), "a ledger", &bytes);
      };
      TW_RETURN_IF_ERROR(ReadAll<v1::LedgerEntry>(*reader, *context.get(), take));
      return entries;
    });
  }

 private:
  // Of an answer without a size of its own: one without an end must not fill the memory.
  absl::Status Count(const google::protobuf::Message& message, absl::string_view what,
                     size_t* bytes) const {
    *bytes += message.SpaceUsedLong();
    if (*bytes <= static_cast<size_t>(params_.most_bytes)) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(what, " must take at most ", params_.most_bytes,
                                                   " bytes; more was sent. Ask the custodian."));
  }

  // A unary call with deadline, retries and the status mapping.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (v1::PrivacyWall::Stub::*method)(grpc::ClientContext*,
                                                                              const Request&,
                                                                              Response*),
                                const Request& request) {
    return Retry(queries_, [&]() -> absl::StatusOr<Response> {
      TryContext context(params_, kQueryDeadline);
      Response response;
      TW_RETURN_IF_ERROR(ToldBy((stub_.get()->*method)(context.get(), request, &response)));
      return std::move(Known(response));
    });
  }

  absl::StatusOr<Release> RunReleaseOnce(const v1::RunReleaseHeader& header,
                                         absl::Span<const float> log_topics,
                                         const ReleaseShape& shape) {
    TryContext context(params_, kReleaseDeadline);
    auto stream = stub_->RunRelease(context.get());
    v1::RunReleaseRequest request;
    *request.mutable_header() = header;
    // A write fails when the wall has already answered; reading then finds out what.
    // How far the parameters came is of no interest to anybody, hence IgnoreError: the status of
    // the stream says why it ended.
    if (stream->Write(request)) {
      proto::ForEachChunk(log_topics, [&](const v1::FloatChunk& chunk) {
        *request.mutable_parameters() = chunk;
        return stream->Write(request) ? absl::OkStatus() : absl::CancelledError();
      }).IgnoreError();
    }
    stream->WritesDone();
    return ReadRelease(*stream, *context.get(), shape);
  }

  // gRPC's own pause (wall_channel.cc) ends by the wall clock: set back, it would outlast this one.
  RetryPolicy Policy(absl::Duration patience, absl::Duration largest) {
    return {.first_delay = absl::Milliseconds(250),
            .largest_delay = largest,
            .patience = patience,
            .wait = [this](absl::Duration delay, const absl::Status& error) {
              grpc::experimental::ChannelResetConnectionBackoff(channel_.get());
              return WaitForTry(params_, delay, error);
            }};
  }

  const WallConnection params_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::PrivacyWall::Stub> stub_;
  const RetryPolicy queries_;
  const RetryPolicy releases_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<WallPort>> ConnectWall(const WallConnection& params) {
  TW_RETURN_IF_ERROR(CheckComplete(params.credentials));
  return std::make_unique<WallClient>(params);
}

}  // namespace topicwall::client
