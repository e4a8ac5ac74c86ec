// Every RPC of the wall, by anyone whom the configuration lists, with any bytes
// (server/gate/wall_service.h over gRPC and mutual TLS; fuzz_wall.h).
//
// Input: a byte that picks the method, a byte that picks the caller, then pieces, the request's
// messages. What an input cannot know it names: kVersion stands for the corpus's version, kPlan for
// the caller's newest plan, kDigest for the digest of the E-step request it stands in; all are
// replaced by as many bytes.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/fuzz_wall.h"
#include "tests/fuzz/input_cursor.h"
#include "tests/support/topic_plans.h"

namespace topicwall::fuzz {
namespace {

constexpr char kVersion[] = "version-of-notes";
constexpr char kPlan[] = "the-newest-plan-of-this-caller-1";
constexpr char kDigest[] = "digest-of-this-request-goes-here";

const google::protobuf::ServiceDescriptor& Service() {
  static const auto& service =
      *v1::ReleaseSpec::descriptor()->file()->FindServiceByName("PrivacyWall");
  return service;
}

bool Parses(const google::protobuf::Descriptor* type, const std::string& bytes) {
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  return message->ParseFromString(bytes);
}

// A wall, and what was learnt about it.
struct World {
  FuzzWall wall;
  std::map<std::string, v1::PlanState> newest_plan;  // by caller
  int calls = 0;
};

// A new one when little budget is left, or when the old one's ledger has become long.
World& FreshWorld() {
  constexpr int kMostCalls = 5000;
  static std::unique_ptr<World> world;  // destroyed at exit, and its folder removed with it
  if (world != nullptr) {
    const v1::BudgetStatus budget = world->wall.Budget();
    const bool spent = budget.epsilon_left() < 0.1 * budget.epsilon_total();
    if (!spent && ++world->calls < kMostCalls) return *world;
    world.reset();
  }
  world = std::make_unique<World>();
  return *world;
}

struct Request {
  const google::protobuf::MethodDescriptor* method;
  std::string caller;
  std::vector<std::string> parts;
};

v1::ReleaseSpec SmallPlan() {
  v1::ReleaseSpec plan;
  plan.set_corpus("notes");
  plan.set_corpus_version(kVersion);
  plan.set_sampling_rate(1);
  plan.mutable_gaussian()->set_noise_multiplier(60);
  plan.mutable_gaussian()->set_histogram_noise_multiplier(60);
  plan.set_iterations(2);
  plan.set_max_tokens(50);
  testing::AskTopics(&plan, "lda", 2, {0.5});
  return plan;
}

// The digest of a request for a release of `plan`, over the header and parameters it holds.
std::string DigestOf(const std::vector<std::string>& parts, const v1::ReleaseSpec& plan) {
  v1::RunReleaseHeader header;
  std::vector<float> topics;
  for (const std::string& part : parts) {
    v1::RunReleaseRequest message;
    if (!message.ParseFromString(part)) break;
    if (message.has_header()) header = message.header();
    const auto values = proto::FloatsFromLittleEndian(message.parameters().values());
    if (values.ok()) topics.insert(topics.end(), values->begin(), values->end());
  }
  return base::DigestBytes(proto::RequestDigest(header, plan, topics));
}

Request RequestOf(absl::string_view input, World& world) {
  InputCursor cursor(input);
  Request request;
  request.method = Service().method(cursor.Take<uint8_t>() % Service().method_count());
  request.caller = std::vector<std::string>{"alice", "bob", "ann"}[cursor.Take<uint8_t>() % 3];
  v1::PlanState& plan = world.newest_plan[request.caller];
  if (plan.plan_id().empty()) plan.set_plan_id(std::string(sizeof(kPlan) - 1, '0'));
  do {  // an empty input is a request of one empty message
    request.parts.push_back(absl::StrReplaceAll(
        std::string(cursor.Piece()), {{kVersion, world.wall.version()}, {kPlan, plan.plan_id()}}));
  } while (!cursor.at_end());
  const std::string digest = DigestOf(request.parts, plan.plan());
  for (std::string& part : request.parts) part = absl::StrReplaceAll(part, {{kDigest, digest}});
  return request;
}

const RefusalRules& Rules() {
  static const auto& rules = *new RefusalRules{
      .codes = {absl::StatusCode::kInvalidArgument, absl::StatusCode::kPermissionDenied,
                absl::StatusCode::kNotFound, absl::StatusCode::kAlreadyExists,
                absl::StatusCode::kFailedPrecondition}};
  return rules;
}

bool IsSame(const v1::BudgetStatus& a, const v1::BudgetStatus& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

void RequireOnlyActsAct(const Request& request, const v1::BudgetStatus& before,
                        const v1::BudgetStatus& after) {
  const std::string& method = request.method->name();
  const bool acts = method == "ReservePlan" || method == "CancelPlan" || method == "RunRelease";
  Require(acts || IsSame(before, after), "reading changes nothing");
  Require(after.events() >= before.events(), "the chain only grows");
  if (method == "CancelPlan") return;
  for (int i = 0; i < after.spent_size(); ++i) {
    Require(after.spent(i) >= before.spent(i), "only a cancel gives anything back");
  }
}

// The same request again: a paid release is the same bytes, free; a plan is the same plan.
void RequireSameAgain(World& world, const Request& request, const Answer& first) {
  const v1::BudgetStatus before = world.wall.Budget();
  const Answer again = world.wall.Call(request.caller, request.method->name(), request.parts);
  Require(again.status.ok() && IsSame(before, world.wall.Budget()), "asking again is free");
  Require(again.replies == first.replies, "asking again is answered with the same bytes");
}

Verdict Run(absl::string_view input) {
  World& world = FreshWorld();
  const Request request = RequestOf(input, world);
  const std::string& method = request.method->name();
  const v1::BudgetStatus before = world.wall.Budget();
  const Answer answer = world.wall.Call(request.caller, method, request.parts);
  const v1::BudgetStatus after = world.wall.Budget();
  if (!answer.status.ok()) {
    Require(IsSame(before, after),
            absl::StrCat("what is refused changes nothing; ", answer.status.ToString()));
    return Refuse(answer.status, Rules());
  }
  for (const std::string& reply : answer.replies) {
    Require(Parses(request.method->output_type(), reply), "a reply is a message of its type");
  }
  RequireOnlyActsAct(request, before, after);
  if (method == "ReservePlan") {
    Require(world.newest_plan[request.caller].ParseFromString(answer.replies.at(0)),
            "a reservation is a plan");
  }
  if (method == "RunRelease" || method == "CancelPlan") RequireSameAgain(world, request, answer);
  return Verdict::kAccepted;
}

std::string Asking(const std::string& method, uint8_t caller,
                   const std::vector<std::string>& messages) {
  const int number = Service().FindMethodByName(method)->index();
  std::string input = NumberOf(static_cast<uint8_t>(number));
  input.push_back(static_cast<char>(caller));
  for (const std::string& message : messages) input.append(PieceOf(message));
  return input;
}

std::vector<std::string> ReleaseMessages(int iteration = 1, double direction_noise = 0) {
  v1::RunReleaseRequest header;
  header.mutable_header()->set_plan_id(kPlan);
  header.mutable_header()->set_iteration(iteration);
  header.mutable_header()->set_clip_norm(4);
  header.mutable_header()->set_direction_noise(direction_noise);
  header.mutable_header()->set_request_digest(kDigest);
  v1::RunReleaseRequest first;
  first.mutable_parameters()->set_values(proto::FloatsToLittleEndian({-1, -2, -3, -4, -1, -2}));
  v1::RunReleaseRequest second;
  second.mutable_parameters()->set_offset(6);
  second.mutable_parameters()->set_values(proto::FloatsToLittleEndian({-2, -1, -3, -1}));
  return {header.SerializeAsString(), first.SerializeAsString(), second.SerializeAsString()};
}

std::vector<std::string> Seeds() {
  v1::DescribeCorpusRequest corpus;  // GetVocabulary and ListPlans have the same shape
  corpus.set_corpus("notes");
  const std::string notes = corpus.SerializeAsString();
  v1::PricePlanRequest price;
  *price.mutable_plan() = SmallPlan();
  v1::ReservePlanRequest reserve;
  reserve.set_request_id("0123456789abcdef");
  *reserve.mutable_plan() = SmallPlan();
  v1::ReservePlanRequest evaluation = reserve;
  evaluation.set_request_id("another request.");
  v1::ReleaseSpec& evaluated = *evaluation.mutable_plan();
  evaluated.set_model("document_completion");
  evaluated.set_held_out_share(0.5);
  evaluated.set_held_out_only(true);
  evaluated.set_weights(proto::FloatsToLittleEndian({0.01f, 0.1f}));
  v1::GetPlanRequest plan;  // as does CancelPlan
  plan.set_plan_id(kPlan);
  v1::GetReleaseRequest release;
  release.set_plan_id(kPlan);
  release.set_iteration(1);
  v1::GetBudgetRequest budget;
  budget.set_corpus("notes");
  *budget.mutable_reference_plan() = SmallPlan();
  v1::ReadLedgerRequest ledger;
  ledger.set_corpus("notes");
  ledger.set_first_sequence(2);
  return {Asking("DescribeCorpus", 0, {notes}),
          Asking("GetVocabulary", 1, {notes}),
          Asking("PricePlan", 0, {price.SerializeAsString()}),
          Asking("ReservePlan", 0, {reserve.SerializeAsString()}),
          Asking("RunRelease", 0, ReleaseMessages()),
          Asking("RunRelease", 0, ReleaseMessages(2, /*direction_noise=*/2)),
          Asking("GetPlan", 0, {plan.SerializeAsString()}),
          Asking("ListPlans", 0, {notes}),
          Asking("GetRelease", 0, {release.SerializeAsString()}),
          Asking("GetBudget", 1, {budget.SerializeAsString()}),
          Asking("ReadLedger", 2, {ledger.SerializeAsString()}),
          Asking("CancelPlan", 0, {plan.SerializeAsString()}),
          Asking("ReservePlan", 0, {evaluation.SerializeAsString()}),
          Asking("RunRelease", 0, ReleaseMessages())};
}

[[maybe_unused]] const bool registered =
    Register({.name = "wall_service", .run = Run, .seeds = Seeds});

}  // namespace
}  // namespace topicwall::fuzz
