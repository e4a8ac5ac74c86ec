// What is asked of a wall beside a fit, about a finished model or the corpus itself, before it is
// asked (ask_paid.h): what it costs, and the file that is kept of it.
//
//   TW_ASSIGN_OR_RETURN(PlanQuote quote, BeginQuote(wall, "notes", model));
//   quote.plan = …;                                          // but for its noise
//   TW_RETURN_IF_ERROR(PriceAtMost(wall, {.spend = spend}, quote));
//
// A file of its own, NAME-….pb, beside its model, whose name is made of all that was asked: the
// same command finds the file that it began, and another one is another file. The model folder's
// lock keeps it to one writer. PUBLIC. Threads: one.
#ifndef TOPICWALL_CLIENT_EVALUATE_PAID_PLAN_H_
#define TOPICWALL_CLIENT_EVALUATE_PAID_PLAN_H_

#include <google/protobuf/message.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/sha256.h"
#include "base/status_macros.h"
#include "client/audit/spend.h"
#include "client/fit/model_directory.h"
#include "client/fit/model_file.h"
#include "client/wall/wall_port.h"
#include "proto/model.pb.h"
#include "proto/models/lda.pb.h"

namespace topicwall::client {

struct PlanQuote : PaidQuote {
  v1::ReleaseSpec plan;
};

// FAILED_PRECONDITION if what a folder holds was paid to another custodian (`custodian_id`), or to
// a mock and this wall is none. One that cannot be asked now hides only what is a mock's.
absl::Status CheckPaidHere(WallPort& wall, const std::string& corpus, const std::string& folder,
                           const std::string& custodian_id);

// Description and budget. FAILED_PRECONDITION if no budget is open; the wall's.
absl::StatusOr<PlanQuote> BeginQuote(WallPort& wall, const std::string& corpus);
// The same, of a model: INVALID_ARGUMENT if not of the corpus's words; no mock's of a wall.
absl::StatusOr<PlanQuote> BeginQuote(WallPort& wall, const std::string& corpus,
                                     const v1::ModelFile& model);

// How topics of the model are to be asked about: its K and α, and the E-step as for documents of
// one's own (evaluator.h), within the custodian's limits; of a mixture of documents K alone.
v1::LdaOptions TopicsToAsk(const v1::ModelFile& model, const v1::Limits& limits);
// The parameters that go with it: ℓ of the mean topics, and of a mixture log π beside them. A
// mixture has no word less likely than on documents of one's own (mixture_perplexity.h).
absl::StatusOr<std::vector<float>> TopicsAsParameters(const v1::ModelFile& model);

// Gives quote.plan the noise, quote.price its price and quote.taking what it takes, at most what
// was asked for. INTERNAL if the wall's price contradicts its own policy; the errors of spend.h.
absl::Status PriceAtMost(WallPort& wall, const PlanNoise& noise, PlanQuote& quote);

// `asked`: whole values, and lengths in front of texts, so that two wishes have one name only if
// they are one wish.
void UpdateWithNoise(const PlanNoise& noise, base::Sha256* asked);
std::string PaidPath(const std::string& directory, absl::string_view name, base::Sha256 asked);

// FAILED_PRECONDITION if the corpus has another version than when the plan was made, and as
// CheckKnown (wall_audit.h).
absl::Status CheckVersion(WallPort& wall, const v1::ReleaseSpec& plan);

// Durable when it returns.
absl::Status WritePaid(const google::protobuf::MessageLite& file, const std::string& path);
// The same in a model's folder. Errors: CheckInPlace's too.
absl::Status WriteIn(const ModelDirectory& directory, const google::protobuf::MessageLite& file,
                     const std::string& path);
absl::Status RemoveFrom(const ModelDirectory& directory, const std::string& path);
// Nothing if there is none. INVALID_ARGUMENT, never nothing, for a file that is damaged or of
// another format version, or has NaN for a number: what is taken for absent would be paid for
// again. FAILED_PRECONDITION (proto::IsWrittenByNewer) with a field or enumerator that this
// program does not know.
absl::StatusOr<bool> ReadPaid(const std::string& path, absl::string_view name,
                              absl::FunctionRef<bool()> is_whole, google::protobuf::Message* file);
template <typename File>
absl::StatusOr<std::optional<File>> ReadPaid(const std::string& path, absl::string_view name,
                                             bool (*is_whole)(const File& file)) {
  File file;
  TW_ASSIGN_OR_RETURN(const bool is_there, ReadPaid(
                                               path, name, [&] { return is_whole(file); }, &file));
  return is_there ? std::optional<File>(std::move(file)) : std::nullopt;
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_PAID_PLAN_H_
