#include "server/access/open_connections.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <string>

#include "absl/time/clock.h"
#include "server/access/begun_calls.h"
#include "tests/support/clock/clock_set_back.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {

struct OpenConnectionsTestPeer {
  static void Look(OpenConnections& connections, absl::Duration later = absl::ZeroDuration()) {
    connections.Look(absl::Now() + later, base::SteadyNow() + later);
  }
  static bool Add(OpenConnections& connections, int connection, absl::Duration later) {
    return connections.AddAt(connection, base::SteadyNow() + later);
  }
  static size_t Count(OpenConnections& connections) {
    absl::MutexLock lock(&connections.mutex_);
    return connections.connections_.size();
  }
};

namespace {

using ::testing::StartsWith;

// Two ends of a connection over the loopback.
struct Pair {
  explicit Pair(int listening, const char* their_address = "127.0.0.1") {
    sockaddr_in to{}, from{};
    from.sin_family = AF_INET;
    EXPECT_EQ(inet_pton(AF_INET, their_address, &from.sin_addr), 1);
    socklen_t size = sizeof(to);
    EXPECT_EQ(getsockname(listening, reinterpret_cast<sockaddr*>(&to), &size), 0);
    theirs = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(theirs, reinterpret_cast<const sockaddr*>(&from), sizeof(from)), 0);
    EXPECT_EQ(connect(theirs, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
    ours = accept(listening, nullptr, nullptr);
  }
  ~Pair() {
    close(theirs);
    close(ours);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  // What is said at one end is at the other a little later: half a minute at most.
  bool IsHungUp(int patience_ms = 30'000) const {
    pollfd end = {.fd = theirs, .events = POLLIN, .revents = 0};
    char byte;
    return poll(&end, 1, patience_ms) == 1 && recv(theirs, &byte, 1, MSG_DONTWAIT) == 0;
  }
  bool IsHungUpAlready() const { return IsHungUp(0); }
  int theirs, ours;
};

class OpenConnectionsTest : public ::testing::Test {
 protected:
  OpenConnectionsTest() {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listening_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(listening_, reinterpret_cast<const sockaddr*>(&any), sizeof(any)), 0);
    EXPECT_EQ(listen(listening_, 256), 0);
  }
  ~OpenConnectionsTest() override { close(listening_); }
  // The lowest that is free.
  int NextDescriptor() const {
    const int next = dup(listening_);
    close(next);
    return next;
  }

  int listening_;
  int alarms_ = 0;
  OpenConnections connections_{[this] { ++alarms_; }};
};

TEST_F(OpenConnectionsTest, AConnectionEndsWithItsCertificate) {
  const Pair pair(listening_);
  ASSERT_TRUE(connections_.Add(pair.ours));
  EXPECT_TRUE(connections_.Claim(PeerOfSocket(pair.ours), "alice", absl::Now() + absl::Hours(1)));
  OpenConnectionsTestPeer::Look(connections_, absl::Minutes(59));
  EXPECT_FALSE(pair.IsHungUpAlready());
  OpenConnectionsTestPeer::Look(connections_, absl::Minutes(61));
  EXPECT_TRUE(pair.IsHungUp());
}

TEST_F(OpenConnectionsTest, WhoNeverSaysAnythingIsHungUpOn) {
  const Pair pair(listening_);
  ASSERT_TRUE(connections_.Add(pair.ours));
  OpenConnectionsTestPeer::Look(connections_);
  EXPECT_FALSE(pair.IsHungUpAlready());
  OpenConnectionsTestPeer::Look(connections_, OpenConnections::kUnclaimed);
  EXPECT_TRUE(pair.IsHungUp());
}

TEST_F(OpenConnectionsTest, AllAreHungUpOnWhetherTheyHaveAnOwnerOrNot) {
  const Pair claimed(listening_), unclaimed(listening_), later(listening_);
  ASSERT_TRUE(connections_.Add(claimed.ours));
  ASSERT_TRUE(connections_.Add(unclaimed.ours));
  EXPECT_TRUE(connections_.Claim(PeerOfSocket(claimed.ours), "alice", absl::InfiniteFuture()));
  connections_.HangUpAll();
  EXPECT_TRUE(claimed.IsHungUp());
  EXPECT_TRUE(unclaimed.IsHungUp());
  ASSERT_TRUE(connections_.Add(later.ours));
  EXPECT_TRUE(connections_.Claim(PeerOfSocket(later.ours), "alice", absl::InfiniteFuture()));
  EXPECT_FALSE(later.IsHungUpAlready());
}

TEST_F(OpenConnectionsTest, APrincipalHasSoManyAndOthersHaveTheirs) {
  std::deque<Pair> pairs;
  const auto claim = [&](const std::string& principal) {
    pairs.emplace_back(listening_);
    EXPECT_TRUE(connections_.Add(pairs.back().ours));
    return connections_.Claim(PeerOfSocket(pairs.back().ours), principal, absl::InfiniteFuture());
  };
  for (int i = 0; i < OpenConnections::kOfPrincipal; ++i) ASSERT_TRUE(claim("bob")) << i;
  EXPECT_FALSE(claim("bob"));
  EXPECT_TRUE(pairs.back().IsHungUp());
  EXPECT_TRUE(claim("alice"));
  // One that is over counts no more.
  shutdown(pairs.front().ours, SHUT_RDWR);
  OpenConnectionsTestPeer::Look(connections_);
  EXPECT_TRUE(claim("bob"));
}

TEST_F(OpenConnectionsTest, AConnectionThatEndedIsForgotten) {
  {
    const Pair pair(listening_);
    ASSERT_TRUE(connections_.Add(pair.ours));
    EXPECT_EQ(OpenConnectionsTestPeer::Count(connections_), 1u);
    shutdown(pair.ours, SHUT_RDWR);  // as gRPC does before it closes
  }
  OpenConnectionsTestPeer::Look(connections_);
  EXPECT_EQ(OpenConnectionsTestPeer::Count(connections_), 0u);
}

TEST_F(OpenConnectionsTest, AClockSetBackDoesNotStopTheLooks) {
  const testing::ClockSetBack set_back;
  OpenConnections connections([] {});
  const Pair pair(listening_);
  ASSERT_TRUE(connections.Add(pair.ours));
  EXPECT_TRUE(connections.Claim(PeerOfSocket(pair.ours), "alice", absl::InfinitePast()));
  EXPECT_TRUE(pair.IsHungUp()) << "the certificate is over, and nobody looks";
}

// A limit on descriptors while it stands.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(int descriptors) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit limit{static_cast<rlim_t>(descriptors), before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(OpenConnectionsTest, ADuplicateTakesNoneOfTheReservedDescriptors) {
  const Pair pair(listening_);
  const int next = NextDescriptor();
  const auto with_limit = [&](int descriptors) {
    const DescriptorLimit limit(descriptors);
    return connections_.Add(pair.ours);
  };
  EXPECT_FALSE(with_limit(next + OpenConnections::kReservedDescriptors));
  EXPECT_EQ(NextDescriptor(), next) << "one is kept";
  EXPECT_TRUE(with_limit(next + OpenConnections::kReservedDescriptors + 1));
}

TEST_F(OpenConnectionsTest, ALimitUnderWhichHardlyAnybodyCouldConnectIsRefused) {
  const auto with_limit = [](int descriptors) {
    const DescriptorLimit limit(descriptors);
    return OpenConnections::RequireDescriptors();
  };
  EXPECT_THAT(with_limit(OpenConnections::kFewestDescriptors - 1),
              testing::StatusIs(absl::StatusCode::kFailedPrecondition,
                                ::testing::HasSubstr("LimitNOFILE")));
  EXPECT_OK(with_limit(OpenConnections::kFewestDescriptors));
}

TEST_F(OpenConnectionsTest, WhereFewDescriptorsAreLeftTheOldestUnclaimedGoesForEachNewcomer) {
  const Pair claimed(listening_), oldest(listening_), second(listening_), first_new(listening_),
      second_new(listening_);
  const auto add = [&](const Pair& pair, absl::Duration later) {
    return OpenConnectionsTestPeer::Add(connections_, pair.ours, later);
  };
  ASSERT_TRUE(add(claimed, absl::ZeroDuration()));
  ASSERT_TRUE(connections_.Claim(PeerOfSocket(claimed.ours), "alice", absl::InfiniteFuture()));
  ASSERT_TRUE(add(oldest, absl::Seconds(1)));
  ASSERT_TRUE(add(second, absl::Seconds(2)));
  // The newcomers have room, and it is no more than a few.
  const DescriptorLimit limit(NextDescriptor() + OpenConnections::kReservedDescriptors + 4);
  EXPECT_TRUE(add(first_new, absl::Seconds(3)));
  EXPECT_TRUE(oldest.IsHungUp());
  EXPECT_FALSE(second.IsHungUpAlready()) << "one for one";
  EXPECT_TRUE(add(second_new, absl::Seconds(3)));
  EXPECT_TRUE(second.IsHungUp());
  EXPECT_FALSE(claimed.IsHungUpAlready());
  EXPECT_FALSE(first_new.IsHungUpAlready());
  EXPECT_EQ(alarms_, 1);
}

TEST_F(OpenConnectionsTest, WhereFewDescriptorsAreLeftWhoHasTheMostGivesWayAndNotWhoCameFirst) {
  const Pair first(listening_), of_many(listening_, "127.0.0.2"),
      of_many_later(listening_, "127.0.0.2"), newcomer(listening_);
  for (const Pair* pair : {&first, &of_many, &of_many_later}) {
    ASSERT_TRUE(connections_.Add(pair->ours));
  }
  const DescriptorLimit limit(NextDescriptor() + OpenConnections::kReservedDescriptors + 4);
  EXPECT_TRUE(connections_.Add(newcomer.ours));
  EXPECT_TRUE(of_many.IsHungUp());
  EXPECT_FALSE(first.IsHungUpAlready());
  EXPECT_FALSE(of_many_later.IsHungUpAlready());
}

TEST_F(OpenConnectionsTest, AnAddressHasAQuarterOfTheRoomAndItsNewcomersPushOutItsOldest) {
  constexpr int kQuarter = 20;
  std::deque<Pair> pairs;
  for (int i = 0; i < kQuarter + 2; ++i) pairs.emplace_back(listening_, "127.0.0.2");
  const Pair other(listening_);
  const DescriptorLimit limit(8 * kQuarter + OpenConnections::kReservedDescriptors);
  ASSERT_TRUE(connections_.Add(other.ours));
  ASSERT_TRUE(connections_.Add(pairs[0].ours));
  ASSERT_TRUE(connections_.Claim(PeerOfSocket(pairs[0].ours), "alice", absl::InfiniteFuture()));
  for (int i = 1; i <= kQuarter; ++i) {
    ASSERT_TRUE(OpenConnectionsTestPeer::Add(connections_, pairs[static_cast<size_t>(i)].ours,
                                             absl::Seconds(i)));
  }
  EXPECT_FALSE(pairs[1].IsHungUpAlready());
  ASSERT_TRUE(connections_.Add(pairs.back().ours));
  EXPECT_TRUE(pairs[1].IsHungUp());
  EXPECT_FALSE(pairs[0].IsHungUpAlready()) << "it has an owner";
  EXPECT_FALSE(pairs[2].IsHungUpAlready());
  EXPECT_FALSE(other.IsHungUpAlready());
  EXPECT_EQ(alarms_, 0);
}

TEST_F(OpenConnectionsTest, WhoHasTooManyCallsAtOnceLosesTheirConnectionsForAWhileAndNobodyElse) {
  const Pair flooding(listening_), standing(listening_), others(listening_), later(listening_);
  for (const Pair* pair : {&flooding, &standing, &others, &later}) {
    ASSERT_TRUE(connections_.Add(pair->ours));
  }
  const auto claim = [&](const Pair& pair, const std::string& principal) {
    return connections_.Claim(PeerOfSocket(pair.ours), principal, absl::InfiniteFuture());
  };
  ASSERT_TRUE(claim(standing, "alice"));
  ASSERT_TRUE(claim(others, "bob"));
  ASSERT_FALSE(connections_.BeginCall(PeerOfSocket(others.ours), "bob"));
  for (int i = 0; i < BegunCalls::kAtOnce; ++i) {
    ASSERT_FALSE(connections_.BeginCall(PeerOfSocket(flooding.ours), "alice")) << i;
  }
  EXPECT_FALSE(flooding.IsHungUpAlready());
  EXPECT_TRUE(connections_.BeginCall(PeerOfSocket(flooding.ours), "alice"));
  EXPECT_TRUE(flooding.IsHungUp()) << "though nobody had claimed it";
  EXPECT_TRUE(standing.IsHungUp());
  EXPECT_FALSE(claim(later, "alice"));
  EXPECT_TRUE(later.IsHungUp());
  EXPECT_TRUE(claim(others, "bob"));
  EXPECT_FALSE(others.IsHungUpAlready());
}

TEST(BegunCalls, AreTooManyOnceAndTheBarGoesWithTime) {
  BegunCalls begun;
  const absl::Duration now = absl::Seconds(100);
  for (int i = 0; i < 10 * BegunCalls::kAtOnce; ++i) {
    ASSERT_FALSE(begun.Begin("alice", now)) << "over before the next";
    begun.End("alice");
  }
  for (int i = 0; i < BegunCalls::kAtOnce; ++i) ASSERT_FALSE(begun.Begin("alice", now));
  EXPECT_FALSE(begun.IsBarred("alice", now));
  EXPECT_TRUE(begun.Begin("alice", now));
  EXPECT_FALSE(begun.Begin("alice", now)) << "told once";
  EXPECT_TRUE(begun.IsBarred("alice", now + BegunCalls::kBarred - absl::Milliseconds(1)));
  EXPECT_FALSE(begun.IsBarred("alice", now + BegunCalls::kBarred));
  EXPECT_FALSE(begun.IsBarred("bob", now));
}

TEST_F(OpenConnectionsTest, PeersAreNamedAsGrpcNamesThem) {
  const Pair pair(listening_);
  EXPECT_THAT(PeerOfSocket(pair.ours), StartsWith("ipv4:127.0.0.1:"));
  EXPECT_EQ(PeerOfSocket(listening_), "");
}

}  // namespace
}  // namespace topicwall::server
