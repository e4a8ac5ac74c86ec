// An attack in a folder of its own, and what replays its pairs.
#ifndef TOPICWALL_TESTS_SERVER_AUDIT_PAIRS_REPLAY_WORLD_H_
#define TOPICWALL_TESTS_SERVER_AUDIT_PAIRS_REPLAY_WORLD_H_

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "server/audit/pairs/pair_replay.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {

class ReplayWorld : public ::testing::Test {
 protected:
  ReplayWorld() {
    auto attack = Attack::Create({.scratch_directory = parent_.path()});
    EXPECT_OK(attack);
    attack_ = *std::move(attack);
    auto replay = PairReplay::Create(*attack_);
    EXPECT_OK(replay);
    replay_ = *std::move(replay);
  }

  const testing::TemporaryDirectory parent_;
  std::unique_ptr<Attack> attack_;
  std::unique_ptr<PairReplay> replay_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_TESTS_SERVER_AUDIT_PAIRS_REPLAY_WORLD_H_
