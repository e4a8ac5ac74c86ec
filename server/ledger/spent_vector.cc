#include "server/ledger/spent_vector.h"

#include "absl/status/status.h"

namespace topicwall::ledger {

std::string BytesOfCost(const accountant::CostVector& cost) {
  std::string bytes;
  bytes.reserve(8 * cost.size());
  for (const uint64_t entry : cost) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(entry >> shift));
  }
  return bytes;
}

absl::StatusOr<accountant::CostVector> CostOfBytes(absl::string_view bytes, std::size_t entries) {
  if (bytes.size() != 8 * entries) {
    return absl::DataLossError("the ledger holds a cost vector of the wrong length.");
  }
  accountant::CostVector cost(entries, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    cost[i / 8] |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * (i % 8));
  }
  return cost;
}

}  // namespace topicwall::ledger
