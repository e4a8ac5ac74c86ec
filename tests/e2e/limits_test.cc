// The limits of one analyst, and what auditors are told of them, over the real wire.
#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "base/file_descriptor.h"
#include "proto/grpc_status.h"
#include "proto/signed_head.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

class LimitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    alice_ = world_.StubOf("alice");
    bob_ = world_.StubOf("bob");
  }

  static v1::CorpusDescription Describe(v1::PrivacyWall::Stub& stub) {
    grpc::ClientContext context;
    v1::DescribeCorpusRequest request;
    request.set_corpus("notes");
    v1::CorpusDescription description;
    EXPECT_OK(proto::FromGrpcStatus(stub.DescribeCorpus(&context, request, &description)));
    return description;
  }

  WallWorld world_;
  std::unique_ptr<v1::PrivacyWall::Stub> alice_, bob_;
};

TEST_F(LimitsTest, AnAuditorSeesEachAnalystsConfiguredCap) {
  ASSERT_OK(world_.Reserve(*alice_, world_.Plan(40, 1), std::string(16, 'a')));
  ASSERT_OK(world_.Reserve(*bob_, world_.Plan(40, 1), std::string(16, 'b')));
  const auto ann = world_.StubOf("ann");
  ASSERT_OK_AND_ASSIGN(const auto budget, WallWorld::Budget(*ann));
  ASSERT_EQ(budget.principals_size(), 2);
  EXPECT_EQ(budget.principals(0).epsilon_cap(), budget.epsilon_total()) << "alice has none";
  EXPECT_EQ(budget.principals(1).epsilon_cap(), WorldOptions().bob_epsilon_cap);
  EXPECT_OK(proto::OpenSignedHead(budget.signed_head(), Describe(*ann).signing_key()));
}

// journald that stands still, or is gone.
TEST(LogReaderTest, OneThatDoesNotReadOrHasGoneHoldsUpNobody) {
  WallWorld world;
  ASSERT_EQ(mkfifo(world.Path("server.out").c_str(), 0600), 0);
  base::FileDescriptor reader(open(world.Path("server.out").c_str(), O_RDONLY | O_NONBLOCK));
  ASSERT_TRUE(world.StartServer());
  {
    const base::FileDescriptor other(open(world.Path("server.out").c_str(), O_WRONLY | O_NONBLOCK));
    while (write(other.get(), "x", 1) == 1) {
    }
  }
  const auto alice = world.StubOf("alice");
  EXPECT_OK(WallWorld::Budget(*alice)) << "nobody reads";
  reader = base::FileDescriptor(-1);
  EXPECT_OK(WallWorld::Budget(*alice)) << "there is no reader";
  EXPECT_TRUE(world.server().IsRunning());
  world.StopServer();
}

TEST_F(LimitsTest, EachAnalystHasAShareOfTheReleasesAndIsToldWhatIsLeft) {
  const v1::CorpusDescription before = Describe(*alice_);
  EXPECT_EQ(before.limits().max_open_plans(), 1000);
  EXPECT_EQ(before.limits().reservation_days(), 7);
  EXPECT_EQ(before.own_releases_left(), before.limits().max_releases() / 2);
  ASSERT_OK(world_.Reserve(*alice_, world_.Plan(40, 3), std::string(16, 'a')));
  EXPECT_EQ(Describe(*alice_).own_releases_left(), before.own_releases_left() - 3);
  EXPECT_EQ(Describe(*bob_).own_releases_left(), before.own_releases_left());
  EXPECT_EQ(Describe(*bob_).releases_left(), before.releases_left() - 3);
}

TEST_F(LimitsTest, PlansAreListedInPages) {
  for (const char id : {'a', 'b', 'c'}) {
    ASSERT_OK(world_.Reserve(*alice_, world_.Plan(40, 1), std::string(16, id)));
  }
  v1::ListPlansRequest request;
  request.set_page_size(2);
  v1::ListPlansResponse page;
  {
    grpc::ClientContext context;
    ASSERT_OK(proto::FromGrpcStatus(alice_->ListPlans(&context, request, &page)));
  }
  EXPECT_EQ(page.plans_size(), 2);
  ASSERT_FALSE(page.next_page_token().empty());
  request.set_page_token(page.next_page_token());
  grpc::ClientContext context;
  ASSERT_OK(proto::FromGrpcStatus(alice_->ListPlans(&context, request, &page)));
  EXPECT_EQ(page.plans_size(), 1);
  EXPECT_TRUE(page.next_page_token().empty());
}

}  // namespace
}  // namespace topicwall::testing
