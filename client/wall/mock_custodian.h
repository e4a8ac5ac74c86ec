// Who stands behind a mock (client/mock/mock_wall.h): nobody.
//
// The custodian of a mock has this name, in its description, its ledger and its receipts, and so in
// every model and report that is made of it. Whatever shows one of these says so first.
#ifndef TOPICWALL_CLIENT_WALL_MOCK_CUSTODIAN_H_
#define TOPICWALL_CLIENT_WALL_MOCK_CUSTODIAN_H_

#include "absl/strings/string_view.h"

namespace topicwall::client {

inline constexpr char kMockCustodian[] = "MOCK";

inline constexpr char kMockRemark[] =
    "MOCK: of documents that do not exist, to try a script on. It says nothing of any corpus.";

inline bool IsMock(absl::string_view custodian_id) { return custodian_id == kMockCustodian; }

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_MOCK_CUSTODIAN_H_
