// The rows of charged iterations. Callers hold a transaction and the ledger's mutex; every function
// is one or a few statements. Sealed release keys, and that a release is stored but not readable
// yet, are the only things here that are not PUBLIC to the plan's analyst.
#ifndef TOPICWALL_SERVER_LEDGER_CHARGE_TABLE_H_
#define TOPICWALL_SERVER_LEDGER_CHARGE_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/ledger.pb.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

enum class ChargeState {
  kCharged = 1,    // the release key is there, sealed
  kStored = 2,     // the release is there, the key is gone; PRIVATE to the server
  kPublished = 3,  // readable
  kLost = 4,       // paid, and can be had no more: restored, or lost before version 4
  kVoided = 5,     // paid, and an event says that there will be no release
};

struct ChargeRow {
  int64_t charge_id;  // given by InsertCharge
  std::string plan_id;
  int iteration;
  std::string request_digest;  // 32 bytes
  int64_t charged_at_ms;
  ChargeState state;
  int recomputations;
  std::string sealed_release_key;  // in state kCharged, else empty
  std::string header_sha256;       // once stored, else empty
  std::string release_sha256;      // of the statistics; once stored, else empty
  int64_t readable_at_ms;          // 0 until published
  int intervals_waited;
  // T when it was charged; 0 = without timing protection, -1 = before this was recorded.
  int64_t release_interval_ms = -1;
  std::string kernel_name = {};  // that alone may compute it; empty = before this was recorded
  int free_processors = 0;
  int64_t restarted_at_ms = 0;  // of the last restart; 0 = none
  int void_ground = 0;          // ReleaseVoided.Ground; 0 unless voided

  // What its instants are counted from.
  int64_t begun_at_ms() const { return restarted_at_ms != 0 ? restarted_at_ms : charged_at_ms; }
};

// As ChargeRow has it.
int64_t IntervalOf(const v1::IterationCharged& act);

// Returns the new charge's id.
absl::StatusOr<int64_t> InsertCharge(SqliteConnection& connection, const ChargeRow& row);
absl::StatusOr<std::optional<ChargeRow>> FindCharge(SqliteConnection& connection,
                                                    absl::string_view plan_id, int iteration);
absl::StatusOr<std::vector<ChargeRow>> ChargesOf(SqliteConnection& connection,
                                                 absl::string_view plan_id);
absl::StatusOr<std::vector<ChargeRow>> ChargesInState(SqliteConnection& connection,
                                                      ChargeState state);
// Everything but the plan, iteration, digest, time of the charge and what stands in its event may
// change. A state other than kCharged erases the sealed key.
absl::Status UpdateCharge(SqliteConnection& connection, const ChargeRow& row);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_CHARGE_TABLE_H_
