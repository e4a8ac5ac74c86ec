#include "server/ledger/spent_vector.h"

#include "absl/status/status.h"

namespace topicwall::ledger {
namespace {

constexpr uint64_t kLargestSum = uint64_t{1} << 62;

}  // namespace

std::string BytesOfCost(const accountant::CostVector& cost) {
  std::string bytes;
  bytes.reserve(8 * cost.size());
  for (const uint64_t entry : cost) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(entry >> shift));
  }
  return bytes;
}

absl::StatusOr<accountant::CostVector> CostOfBytes(absl::string_view bytes, std::size_t orders) {
  if (bytes.size() != 8 * orders) {
    return absl::DataLossError("the ledger holds a cost vector of the wrong length.");
  }
  accountant::CostVector cost(orders, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    cost[i / 8] |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * (i % 8));
  }
  return cost;
}

accountant::CostVector SpentAfter(const accountant::CostVector& spent,
                                  const accountant::CostVector& cost, int64_t count) {
  accountant::CostVector after = spent;
  const uint64_t times = static_cast<uint64_t>(count);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (times == 0 || cost[i] == 0) continue;
    if (after[i] > kLargestSum || cost[i] > (kLargestSum - after[i]) / times) {
      after[i] = accountant::kDeadOrder;
    } else {
      after[i] += cost[i] * times;
    }
  }
  return after;
}

}  // namespace topicwall::ledger
