// What leaves the wall besides the noisy sums: every reply, error text, program output and log line
// of the same acts on two corpora that share nothing but what the custodian states about them.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/ledger.pb.h"
#include "proto/matrix_codec.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kFewDocuments = 300;
constexpr int kManyDocuments = 2731;
constexpr int kWordsOfMany = 49;
constexpr int kTokensOfMany = kManyDocuments * kWordsOfMany;

// Nothing of this may be seen by anybody but the custodian.
const std::vector<std::string> kPlanted = {"plantedword", "planted.person@example.org",
                                           "plantedunit", "plantedowner", "plantedtitle"};

// Nine times as many documents as the other corpus, six times as long, all about one topic, and
// full of what must not get out.
std::string PlantedDocuments() {
  std::string lines;
  for (int i = 0; i < kManyDocuments; ++i) {
    absl::StrAppend(&lines, R"({"id":"plantedunit)", i, R"(","owner":"plantedowner)", i,
                    R"(","title":"plantedtitle","text":"plantedword planted.person@example.org )");
    for (int j = 0; j < kWordsOfMany; ++j) {
      absl::StrAppend(&lines, "worda", std::string(1, static_cast<char>('a' + (i + j) % 10)), " ");
    }
    absl::StrAppend(&lines, "\"}\n");
  }
  return lines;
}

// What an analyst, an auditor and a reader of the logs get to see.
struct Seen {
  std::vector<std::pair<std::string, size_t>> sizes;  // of every reply, by name
  std::vector<std::string> errors;                    // codes and texts
  std::string bytes;                                  // all replies, one after the other
  std::string texts;                                  // what the programs printed
  std::string log;                                    // the custodian's
  std::string server_output;                          // with everything gRPC can say
};

class Observer {
 public:
  explicit Observer(WallWorld& world) : world_(world), alice_(world.StubOf("alice")) {}

  Seen Observe() {
    AskEverything();
    const std::string plan = ReleaseTwice();
    EvaluateTwice();
    AskWhatIsRefused(plan);
    ReadLedgerOf("alice");
    ReadLedgerOf("ann");
    RunPrograms();
    world_.StopServer();
    seen_.log = world_.ReadFile("events.jsonl");
    seen_.server_output = world_.ServerOutput();
    return std::move(seen_);
  }

 private:
  void Take(const std::string& name, const google::protobuf::Message& reply) {
    seen_.sizes.emplace_back(name, reply.ByteSizeLong());
    absl::StrAppend(&seen_.bytes, reply.SerializeAsString());
  }

  void Take(const std::string& name, const absl::StatusOr<Received>& received) {
    if (!received.ok()) {
      seen_.errors.push_back(absl::StrCat(name, ": ", received.status().ToString()));
      return;
    }
    Take(name, received->header);
    seen_.sizes.emplace_back(name + " statistics", received->statistics.size());
  }

  template <typename Request, typename Reply>
  void Ask(const std::string& name, const Request& request,
           grpc::Status (v1::PrivacyWall::Stub::*method)(grpc::ClientContext*, const Request&,
                                                         Reply*)) {
    grpc::ClientContext context;
    Reply reply;
    const grpc::Status status = (alice_.get()->*method)(&context, request, &reply);
    if (status.ok()) {
      Take(name, reply);
    } else {
      seen_.errors.push_back(absl::StrCat(name, ": ", status.error_code(), " ",
                                          status.error_message(), status.error_details()));
    }
  }

  void AskEverything() {
    v1::DescribeCorpusRequest describe;
    describe.set_corpus("notes");
    Ask("describe", describe, &v1::PrivacyWall::Stub::DescribeCorpus);
    v1::PricePlanRequest price;
    *price.mutable_plan() = world_.Plan(4, 3);
    Ask("price", price, &v1::PrivacyWall::Stub::PricePlan);
    v1::GetBudgetRequest budget;
    budget.set_corpus("notes");
    *budget.mutable_reference_plan() = price.plan();
    Ask("budget", budget, &v1::PrivacyWall::Stub::GetBudget);
  }

  // A full batch and a sampled one that is empty more often than not, each with a histogram.
  std::string ReleaseTwice() {
    std::string last;
    for (const double sampling_rate : {1.0, 1e-4}) {
      v1::ReleaseSpec spec = world_.Plan(6, 2);
      spec.set_sampling_rate(sampling_rate);
      spec.mutable_gaussian()->set_histogram_noise_multiplier(6);
      const std::string name = absl::StrCat("rate ", sampling_rate);
      const auto plan =
          world_.Reserve(*alice_, spec, std::string(16, sampling_rate == 1 ? 'a' : 'b'));
      EXPECT_OK(plan);
      if (!plan.ok()) return last;
      last = plan->plan_id();
      const std::vector<float> topics = WallWorld::LogTopics();
      Take(name, WallWorld::RunRelease(*alice_, WallWorld::Header(last, 1, topics), topics));
      Take(name + " again", WallWorld::GetRelease(*alice_, last, 1));
      v1::GetPlanRequest state;
      state.set_plan_id(last);
      Ask(name + " plan", state, &v1::PrivacyWall::Stub::GetPlan);
    }
    return last;
  }

  // A third of the units held out, and nobody.
  void EvaluateTwice() {
    for (const double held_out_share : {0.3, 1e-12}) {
      v1::ReleaseSpec spec = world_.Plan(6, 1);
      spec.set_model("document_completion");
      spec.set_held_out_only(true);
      spec.set_held_out_share(held_out_share);
      spec.set_weights(proto::FloatsToLittleEndian(std::vector<float>{0.02F, 0.1F}));
      const std::string name = absl::StrCat("held out ", held_out_share);
      const auto plan =
          world_.Reserve(*alice_, spec, std::string(16, held_out_share == 0.3 ? 'e' : 'f'));
      EXPECT_OK(plan);
      if (!plan.ok()) return;
      const std::vector<float> topics = WallWorld::LogTopics();
      const v1::RunReleaseHeader header = WallWorld::Header(plan->plan_id(), 1, topics, spec);
      Take(name, WallWorld::RunRelease(*alice_, header, topics));
      Take(name + " again", WallWorld::GetRelease(*alice_, plan->plan_id(), 1));
    }
  }

  void AskWhatIsRefused(const std::string& plan) {
    const std::vector<float> topics = WallWorld::LogTopics();
    std::vector<float> other = topics;
    other[0] = -9;
    Take("other content", WallWorld::RunRelease(*alice_, WallWorld::Header(plan, 1, other), other));
    Take("too late", WallWorld::RunRelease(*alice_, WallWorld::Header(plan, 7, topics), topics));
    Take("not yet", WallWorld::GetRelease(*alice_, plan, 2));
    Take("not text", WallWorld::GetRelease(*alice_, "\xff\xfe", 1));
    v1::ReservePlanRequest dear;
    dear.set_request_id(std::string(16, 'd'));
    *dear.mutable_plan() = world_.Plan(0.2, 20);
    Ask("dear", dear, &v1::PrivacyWall::Stub::ReservePlan);
    dear.mutable_plan()->set_sampling_rate(2);
    Ask("impossible", dear, &v1::PrivacyWall::Stub::ReservePlan);
  }

  void ReadLedgerOf(const std::string& name) {
    grpc::ClientContext context;
    v1::ReadLedgerRequest request;
    request.set_corpus("notes");
    const auto stub = world_.StubOf(name);
    const auto reader = stub->ReadLedger(&context, request);
    v1::LedgerEntry entry;
    while (reader->Read(&entry)) Take("ledger of " + name, entry);
    EXPECT_TRUE(reader->Finish().ok());
  }

  void RunPrograms() {
    const std::string model = world_.Path("notes.model");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"describe", "notes"},
             {"fit", "notes", "--topics", "3", "--epsilon-alone", "2", "--algorithm", "paper",
              "--sampling-rate", "1", "--iterations", "2", "--model", model, "--yes"},
             {"budget", "notes"},
             {"ledger", "notes", "--verify"},
             {"plans"},
             {"fit", "notes", "--topics", "3", "--noise-multiplier", "0.2", "--iterations", "20",
              "--model", world_.Path("refused.model"), "--yes"}}) {
      absl::StrAppend(&seen_.texts, world_.Analyst("alice", command).output);
    }
  }

  WallWorld& world_;
  const std::unique_ptr<v1::PrivacyWall::Stub> alice_;
  Seen seen_;
};

Seen ObserveCorpus(const std::string& documents_jsonl) {
  // An interval that a busy machine keeps: an overrun is public, and would be counted.
  WallWorld world({.release_interval_ms = 2500,
                   .documents = kFewDocuments,
                   .documents_jsonl = documents_jsonl});
  EXPECT_TRUE(world.StartServer({{"GRPC_VERBOSITY", "DEBUG"}})) << world.ServerOutput();
  return Observer(world).Observe();
}

// Times, random names, certificates and ports differ from run to run whatever the corpus, and so
// does what gRPC has to say of its connections, of which only the place in its source is told.
std::vector<std::string> LinesWithoutChance(const std::string& log) {
  static const std::regex chance(
      R"re("time_ms":\d+|"certificate":"[0-9A-F]+"|[0-9a-f]{32}|127\.0\.0\.1:\d+)re");
  std::vector<std::string> lines = absl::StrSplit(std::regex_replace(log, chance, "*"), '\n');
  std::erase_if(
      lines, [](const std::string& line) { return absl::StrContains(line, "\"event\":\"grpc\""); });
  return lines;
}

TEST(SideChannelTest, OnlyTheNoisySumsDependOnTheDocuments) {
  const Seen few = ObserveCorpus("");
  const Seen many = ObserveCorpus(PlantedDocuments());

  // Replies: as many, in the same order, of the same sizes; refusals word for word.
  EXPECT_GE(many.sizes.size(), 25u);
  EXPECT_EQ(many.sizes, few.sizes);
  EXPECT_EQ(many.errors.size(), 6u);
  EXPECT_EQ(many.errors, few.errors);
  EXPECT_EQ(LinesWithoutChance(many.log), LinesWithoutChance(few.log));
  EXPECT_THAT(many.log, HasSubstr("release_published"));
  EXPECT_THAT(many.texts, HasSubstr("notes"));
  EXPECT_THAT(many.server_output, Not(HasSubstr("UTF-8")));

  for (const std::string& planted : kPlanted) {
    EXPECT_THAT(many.bytes, Not(HasSubstr(planted)));
    EXPECT_THAT(many.texts, Not(HasSubstr(planted)));
    EXPECT_THAT(many.log, Not(HasSubstr(planted)));
    EXPECT_THAT(many.server_output, Not(HasSubstr(planted)));
    for (const std::string& error : many.errors) EXPECT_THAT(error, Not(HasSubstr(planted)));
  }
  for (const int count : {kManyDocuments, kTokensOfMany}) {
    const std::regex number(absl::StrCat("(^|[^0-9.])", count, "([^0-9]|$)"));
    EXPECT_FALSE(std::regex_search(many.texts, number));
    EXPECT_FALSE(std::regex_search(many.log, number));
  }
}

}  // namespace
}  // namespace topicwall::testing
