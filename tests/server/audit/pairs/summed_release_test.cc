#include "server/audit/pairs/summed_release.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "server/audit/pairs/paid_receipts.h"
#include "server/audit/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

// Under one charge a release is the same bits however it is computed; under another it is not.
TEST(SummedReleaseTest, IsAFunctionOfChargeAndCorpus) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  const auto key = sealing::CustodianKey::Generate();
  ASSERT_OK(key);
  const auto paid = PaidReceipts::Open(**folder, *key);
  ASSERT_OK(paid);
  const NeighbouringPair asked = PairsByName()[0];
  const auto store =
      StorePlanted({.vocabulary_size = asked.vocabulary_size, .documents = asked.others},
                   (*folder)->Path("corpus"), *key);
  ASSERT_OK(store);
  const auto inference = InferenceOf(asked);
  ASSERT_OK(inference);
  auto receipts = (*paid)->Pay(asked.mechanism, 2);
  auto others = (*paid)->Pay(asked.mechanism, 1);
  ASSERT_OK(receipts);
  ASSERT_OK(others);
  const auto one = SumAndRelease(asked, **inference, **store, std::move((*receipts)[0]), {});
  const auto two = SumAndRelease(asked, **inference, **store, std::move((*receipts)[1]),
                                 {.num_threads = 3, .decoded_bytes = 1 << 20});
  const auto other = SumAndRelease(asked, **inference, **store, std::move((*others)[0]), {});
  ASSERT_OK(one);
  ASSERT_OK(two);
  ASSERT_OK(other);
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->sum, other->sum);
  EXPECT_NE(one->statistics, other->statistics);
}

}  // namespace
}  // namespace topicwall::audit
