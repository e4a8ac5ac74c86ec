#include "client/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

TEST(JsonTest, MessagesKeepTheirFieldNamesAndShowDefaults) {
  v1::CancelPlanRequest message;
  EXPECT_EQ(JsonOf(message), R"({"plan_id":""})");
}

// Beyond 2^53, too: whoever reads it as a double knows how.
TEST(JsonTest, NumbersAreNumbersAndBytesAreHexadecimal) {
  v1::LedgerEntry entry;
  entry.set_sequence(9'007'199'254'740'993);
  entry.set_head(std::string("\x00\xff", 2));
  EXPECT_EQ(JsonOf(entry),
            R"({"sequence":9007199254740993,"commitment":"","head":"00ff","event":"","salt":""})");
  v1::AccountantEpsilon epsilon;
  epsilon.set_epsilon_lower(0.25);
  epsilon.set_epsilon_upper(std::numeric_limits<double>::infinity());
  EXPECT_EQ(JsonOf(epsilon), R"({"accountant":"","epsilon_lower":0.25,"epsilon_upper":null})");
}

TEST(JsonTest, WhatIsNotThereIsLeftOutAndListsAreAlwaysThere) {
  v1::BudgetStatus budget;
  budget.set_state(v1::CORPUS_STATE_PAUSED);
  budget.add_spent(std::numeric_limits<uint64_t>::max());
  const std::string json = JsonOf(budget);
  EXPECT_NE(json.find(R"("spent":[18446744073709551615])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("principals":[])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("state":"CORPUS_STATE_PAUSED")"), std::string::npos) << json;
  EXPECT_EQ(json.find("filter"), std::string::npos) << json;
  EXPECT_EQ(json.find("own"), std::string::npos) << json;
  v1::CorpusDescription description;
  EXPECT_EQ(JsonOf(description).find("nominal_size"), std::string::npos);
  description.set_nominal_size(0);
  EXPECT_NE(JsonOf(description).find(R"("nominal_size":0)"), std::string::npos);
}

}  // namespace
}  // namespace topicwall::client
