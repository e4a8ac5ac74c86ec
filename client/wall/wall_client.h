// The wall over gRPC: the one pair of files here that speaks it.
//
//   absl::StatusOr<Credentials> credentials = LoadCredentials(profile);
//   absl::StatusOr<std::unique_ptr<WallClient>> wall =
//       WallClient::Connect({.server = profile.server(), .credentials = *credentials,
//                            .on_wait = …});
//   absl::StatusOr<v1::CorpusDescription> notes = (*wall)->DescribeCorpus("notes");
//
// Mutual TLS always: the server must be signed by the profile's CA for the host that is
// dialled, the caller shows its certificate; there is no way to ask for plaintext.
//
// Waiting. A query is given one minute and about four seconds of retries. An E-step is given
// three hours (the longest release interval is one) and ten minutes of retries, because a
// full queue is UNAVAILABLE and empties by itself. A lost connection is noticed by keepalive.
// A retry after a charge finds the stored release: nothing is paid twice (wall_port.h).
//
// Errors: as WallPort; UNAVAILABLE also for a failed handshake, which TLS does not let a
// caller tell from an absent server. INTERNAL if the answer is not what the protocol says.
#ifndef TOPICWALL_CLIENT_WALL_WALL_CLIENT_H_
#define TOPICWALL_CLIENT_WALL_WALL_CLIENT_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/wall/profile.h"
#include "client/wall/wall_port.h"

namespace topicwall::client {

class WallClient : public WallPort {
 public:
  struct Params {
    std::string server;  // HOST:PORT
    Credentials credentials;
    // Told before each wait for another try; may be empty.
    std::function<void(const absl::Status&)> on_wait;
  };

  // Makes the channel; the first call connects. INVALID_ARGUMENT if the PEM texts cannot be
  // used.
  static absl::StatusOr<std::unique_ptr<WallClient>> Connect(const Params& params);
  ~WallClient() override;

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view corpus) override;
  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view corpus,
                                                         int64_t max_terms) override;
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec& plan) override;
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override;
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view plan_id) override;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view corpus) override;
  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader& header,
                                     absl::Span<const float> log_topics,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<Release> GetRelease(absl::string_view plan_id, int32_t iteration,
                                     const ReleaseShape& shape) override;
  absl::StatusOr<v1::BudgetStatus> GetBudget(const v1::GetBudgetRequest& request) override;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view corpus,
                                                          int64_t first_sequence) override;

 private:
  class Connection;
  explicit WallClient(std::unique_ptr<Connection> connection);

  const std::unique_ptr<Connection> connection_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_WALL_CLIENT_H_
