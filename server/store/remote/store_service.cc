#include "server/store/remote/store_service.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status_macros.h"
#include "server/store/remote/message_pipe.h"
#include "server/store/remote/store_messages.h"

namespace topicwall::store {
namespace {

void Add(const std::optional<PlanRecord>& plan, v1::StoreAnswer* answer) {
  if (plan.has_value()) *answer->mutable_plan() = ToMessage(*plan);
}

absl::Status AskStore(EventStore& store, const v1::StoreCall& call, v1::StoreAnswer* answer) {
  switch (call.call_case()) {
    case v1::StoreCall::kReadIdentity: {
      TW_ASSIGN_OR_RETURN(const Identity identity, store.ReadIdentity());
      *answer->mutable_identity() = ToMessage(identity);
      return absl::OkStatus();
    }
    case v1::StoreCall::kChains: {
      TW_ASSIGN_OR_RETURN(const auto chains, store.Chains());
      for (const Chain& chain : chains) *answer->add_chains() = ToMessage(chain);
      return absl::OkStatus();
    }
    case v1::StoreCall::kEntries: {
      const v1::StoreCall::Entries& asked = call.entries();
      TW_ASSIGN_OR_RETURN(auto entries,
                          store.ReadEntries(asked.budget_id(), asked.first(), asked.limit()));
      for (v1::LedgerEntry& entry : entries) *answer->add_entries() = std::move(entry);
      return absl::OkStatus();
    }
    case v1::StoreCall::kMoment: {
      TW_ASSIGN_OR_RETURN(const Moment moment, store.ReadMoment());
      for (const Chain& chain : moment.chains) *answer->add_chains() = ToMessage(chain);
      for (const OpenCharge& row : moment.open_charges) {
        *answer->add_open_charges() = ToMessage(row);
      }
      return absl::OkStatus();
    }
    case v1::StoreCall::kPlanId: {
      TW_ASSIGN_OR_RETURN(const auto plan, store.FindPlan(call.plan_id()));
      Add(plan, answer);
      return absl::OkStatus();
    }
    case v1::StoreCall::kPlanRequest: {
      const v1::StoreCall::Request& asked = call.plan_request();
      TW_ASSIGN_OR_RETURN(const auto plan,
                          store.FindPlanByRequest(asked.principal(), asked.request_id()));
      Add(plan, answer);
      return absl::OkStatus();
    }
    case v1::StoreCall::kBlob: {
      TW_ASSIGN_OR_RETURN(auto blob, store.ReadBlob(call.blob().sha256(), call.blob().part()));
      if (blob.has_value()) answer->set_blob(*std::move(blob));
      return absl::OkStatus();
    }
    case v1::StoreCall::kAppend:
      return store.Append(FromMessage(call.append()));
    case v1::StoreCall::kCheckStructure:
      return store.CheckStructure();
    // As an answer, not as the end of the session: the pipe itself is in order.
    default:
      return absl::InvalidArgumentError("a call of no kind.");
  }
}

}  // namespace

absl::StatusOr<v1::StoreAnswer> StoreService::Answer(const v1::StoreCall& call) {
  v1::StoreAnswer answer;
  // Neither of the two is asked of an open store: before the one there are no tables, and after the
  // other they have another name.
  if (call.has_create()) {
    TW_RETURN_IF_ERROR(backend_.create(FromMessage(call.create())));
    return answer;
  }
  if (call.has_retire()) {
    std::vector<Chain> chains;
    for (const v1::StoreChain& chain : call.retire().chains()) chains.push_back(FromMessage(chain));
    // The next call then opens anew and finds no ledger (NOT_FOUND). Kept open, this one would miss
    // its tables, which reads as damage.
    store_.reset();
    TW_RETURN_IF_ERROR(backend_.retire(chains));
    return answer;
  }
  // By the call and not at the start: a database that is down for a while is an error of this call,
  // and the process, which would be started over and over, stays.
  if (store_ == nullptr) {
    TW_ASSIGN_OR_RETURN(store_, backend_.open());
  }
  TW_RETURN_IF_ERROR(AskStore(*store_, call, &answer));
  return answer;
}

absl::Status StoreService::Serve(base::FileDescriptor session) {
  MessagePipe pipe(std::move(session));
  for (;;) {
    v1::StoreCall call;
    const absl::Status received = pipe.Receive(MessagePipe::kMostBytes, &call);
    if (absl::IsOutOfRange(received)) return absl::OkStatus();
    TW_RETURN_IF_ERROR(received);
    // What the store refuses is an answer. Only a broken pipe ends the session, since where the
    // next message begins is then unknown.
    absl::StatusOr<v1::StoreAnswer> answer = Answer(call);
    if (!answer.ok()) {
      const absl::Status failed = answer.status();
      answer.emplace();
      answer->set_code(static_cast<int>(failed.code()));
      answer->set_message(std::string(failed.message()));
    }
    TW_RETURN_IF_ERROR(pipe.Send(*answer));
  }
}

}  // namespace topicwall::store
