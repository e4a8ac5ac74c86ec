// Who stands behind a mock (client/mock/mock_wall.h): nobody.
//
// The custodian of a mock has this name, in its description, its ledger and its receipts, and so in
// every model and report that is made of it. Whatever shows one of these says so first.
#ifndef TOPICWALL_CLIENT_WALL_MOCK_CUSTODIAN_H_
#define TOPICWALL_CLIENT_WALL_MOCK_CUSTODIAN_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::client {

inline constexpr char kMockCustodian[] = "MOCK";

inline constexpr char kMockRemark[] =
    "MOCK: of documents that do not exist, to try a script on. It says nothing of any corpus.";

inline bool IsMock(absl::string_view custodian_id) { return custodian_id == kMockCustodian; }

// FAILED_PRECONDITION, with `sentence`, of what is a mock's where `custodian_id` is none: whoever
// tried a script on a mock, and now asks the wall itself, gets nothing of the mock's.
inline absl::Status CheckNotOfMock(bool is_of_mock, absl::string_view custodian_id,
                                   absl::string_view sentence) {
  if (!is_of_mock || IsMock(custodian_id)) return absl::OkStatus();
  return absl::FailedPreconditionError(sentence);
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_MOCK_CUSTODIAN_H_
