#include "server/audit/walls/principal.h"

#include <deque>
#include <iterator>

#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "proto/matrix_codec.h"
#include "proto/request_digest.h"
#include "server/random/secure_random.h"

namespace topicwall::audit {
namespace {

// The gate's side of a call: what it would read from the network was said, what it would write is
// heard.
class Conversation final : public acts::ActStream {
 public:
  explicit Conversation(std::vector<std::string> said)
      : said_(std::make_move_iterator(said.begin()), std::make_move_iterator(said.end())) {}

  bool Read(std::string* message) override {
    if (said_.empty()) return false;
    *message = std::move(said_.front());
    said_.pop_front();
    return true;
  }
  bool Write(absl::string_view message) override {
    heard_.emplace_back(message);
    return true;
  }
  bool IsCancelled() const override { return false; }

  std::vector<std::string> heard() && { return std::move(heard_); }

 private:
  std::deque<std::string> said_;
  std::vector<std::string> heard_;
};

absl::Status Unreadable() { return absl::InternalError("the wall's answer cannot be read"); }

}  // namespace

absl::StatusOr<std::vector<std::string>> Principal::Ask(v1::Act act,
                                                        std::vector<std::string> more) const {
  // As the gate does, which alone says who calls: the vault believes it.
  act.set_principal(name_);
  Conversation conversation(std::move(more));
  TW_RETURN_IF_ERROR(vault_->Handle(act, conversation));
  return std::move(conversation).heard();
}

template <typename Reply>
absl::StatusOr<Reply> Principal::AskForOne(v1::Act act) const {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> messages, Ask(std::move(act)));
  Reply reply;
  if (messages.size() != 1 || !reply.ParseFromString(messages[0])) return Unreadable();
  return reply;
}

absl::StatusOr<v1::CorpusDescription> Principal::Describe(const std::string& corpus) const {
  v1::Act act;
  act.mutable_describe_corpus()->set_corpus(corpus);
  return AskForOne<v1::CorpusDescription>(std::move(act));
}

absl::StatusOr<v1::PlanPrice> Principal::Price(const v1::ReleaseSpec& plan) const {
  v1::Act act;
  *act.mutable_price_plan()->mutable_plan() = plan;
  return AskForOne<v1::PlanPrice>(std::move(act));
}

absl::StatusOr<v1::PlanState> Principal::Reserve(const v1::ReleaseSpec& plan) const {
  // Reserved again under the same id it would be the same plan.
  TW_ASSIGN_OR_RETURN(const auto id, random::Random128());
  v1::Act act;
  act.mutable_reserve_plan()->set_request_id(std::string(id.begin(), id.end()));
  *act.mutable_reserve_plan()->mutable_plan() = plan;
  return AskForOne<v1::PlanState>(std::move(act));
}

absl::StatusOr<v1::PlanState> Principal::Cancel(const std::string& plan_id) const {
  v1::Act act;
  act.mutable_cancel_plan()->set_plan_id(plan_id);
  return AskForOne<v1::PlanState>(std::move(act));
}

absl::StatusOr<v1::PlanState> Principal::GetPlan(const std::string& plan_id) const {
  v1::Act act;
  act.mutable_get_plan()->set_plan_id(plan_id);
  return AskForOne<v1::PlanState>(std::move(act));
}

absl::StatusOr<v1::BudgetStatus> Principal::Budget(const std::string& corpus) const {
  v1::Act act;
  act.mutable_get_budget()->set_corpus(corpus);
  return AskForOne<v1::BudgetStatus>(std::move(act));
}

absl::StatusOr<std::vector<v1::LedgerEntry>> Principal::ReadLedger(
    const std::string& corpus) const {
  v1::Act act;
  act.mutable_read_ledger()->set_corpus(corpus);
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> messages, Ask(std::move(act)));
  std::vector<v1::LedgerEntry> entries(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!entries[i].ParseFromString(messages[i])) return Unreadable();
  }
  return entries;
}

absl::StatusOr<ReceivedRelease> Principal::AskForRelease(v1::Act act,
                                                         std::vector<std::string> more) const {
  TW_ASSIGN_OR_RETURN(const std::vector<std::string> messages,
                      Ask(std::move(act), std::move(more)));
  ReceivedRelease received;
  std::string bytes;
  for (const std::string& message : messages) {
    v1::ReleaseChunk chunk;
    if (!chunk.ParseFromString(message)) return Unreadable();
    received.message_sizes.push_back(message.size());
    if (chunk.has_header()) received.header = chunk.header();
    if (chunk.has_statistics()) bytes += chunk.statistics().values();
  }
  TW_ASSIGN_OR_RETURN(received.statistics, proto::FloatsFromLittleEndian(bytes));
  const int64_t entries = received.header.rows() * received.header.columns();
  // A reply that ends early must not pass for a release.
  if (static_cast<int64_t>(received.statistics.size()) != entries) return Unreadable();
  return received;
}

absl::StatusOr<ReceivedRelease> Principal::RunRelease(const v1::PlanState& plan, int iteration,
                                                      const ReleaseQuestion& question) const {
  v1::Act act;
  v1::RunReleaseHeader& header = *act.mutable_run_release();
  header.set_plan_id(plan.plan_id());
  header.set_iteration(iteration);
  header.set_clip_norm(question.clip_norm);
  header.set_direction_noise(question.direction_noise);
  // What another client would send: the wall compares it with what it received.
  header.set_request_digest(
      question.forged_digest.empty()
          ? base::DigestBytes(proto::RequestDigest(header, plan.plan(), question.parameters))
          : question.forged_digest);
  std::vector<std::string> parameters;
  TW_RETURN_IF_ERROR(proto::ForEachChunk(question.parameters, [&](const v1::FloatChunk& chunk) {
    v1::RunReleaseRequest part;
    *part.mutable_parameters() = chunk;
    parameters.push_back(part.SerializeAsString());
    return absl::OkStatus();
  }));
  return AskForRelease(std::move(act), std::move(parameters));
}

absl::StatusOr<ReceivedRelease> Principal::GetRelease(const std::string& plan_id,
                                                      int iteration) const {
  v1::Act act;
  act.mutable_get_release()->set_plan_id(plan_id);
  act.mutable_get_release()->set_iteration(iteration);
  return AskForRelease(std::move(act), {});
}

}  // namespace topicwall::audit
