// What one listed principal can do to all others by asking for much: prices, budgets, large
// messages, log lines.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "proto/grpc_status.h"
#include "tests/e2e/flood.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace crowding_test {

using ::testing::AnyOf;

constexpr int64_t kMostKibibytes = 300 * 1024;

class CrowdingTest : public ::testing::Test {
 protected:
  void Start(WorldOptions options = {}) {
    world_ = std::make_unique<WallWorld>(std::move(options));
    ASSERT_TRUE(world_->StartServer()) << world_->ServerOutput();
  }
  absl::Status Price(const std::string& name, const v1::ReleaseSpec& plan) const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(120));
    v1::PricePlanRequest request;
    *request.mutable_plan() = plan;
    v1::PlanPrice price;
    return proto::FromGrpcStatus(world_->StubOnItsOwn(name)->PricePlan(&context, request, &price));
  }
  int LogLinesWith(const std::string& word) const {
    const std::vector<std::string> lines = absl::StrSplit(world_->ReadFile("events.jsonl"), '\n');
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return absl::StrContains(line, word);
    }));
  }
  // Within a minute.
  bool ComesToHaveFewerThreads(int64_t threads) const {
    for (int i = 0; i < 600; ++i) {
      if (world_->server().StatusField("Threads:") < threads) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }
  grpc::SslCredentialsOptions FilesOf(const std::string& name) const {
    return {.pem_root_certs = world_->ReadFile("tls/ca.pem"),
            .pem_private_key = world_->ReadFile("tls/" + name + ".key"),
            .pem_cert_chain = world_->ReadFile("tls/" + name + ".pem")};
  }
  int64_t Peak() const { return world_->server().StatusField("VmHWM:"); }

  std::unique_ptr<WallWorld> world_;
};

TEST_F(CrowdingTest, TwoThousandAbandonedPricesHoldUpNobodyAndNotTheEnd) {
  Start();
  std::vector<std::unique_ptr<v1::PrivacyWall::Stub>> bobs;
  for (int i = 0; i < 20; ++i) bobs.push_back(world_->StubOnItsOwn("bob"));
  v1::PricePlanRequest request;
  *request.mutable_plan() = world_->Plan(8, 50);
  request.mutable_plan()->set_sampling_rate(0.05);
  Flood<v1::PlanPrice> flood;
  for (int i = 0; i < 2000; ++i) {
    request.mutable_plan()->mutable_gaussian()->set_noise_multiplier(
        8 + 0.001 * i);  // each another price
    flood.Send([&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
      return bobs[static_cast<size_t>(i) % bobs.size()]->AsyncPricePlan(context, request, queue);
    });
  }
  EXPECT_OK(Price("alice", world_->Plan(9, 10))) << "bob's prices are not alice's matter";
  // A call that is refused has a thread until it is; on a busy machine many are at once.
  EXPECT_TRUE(ComesToHaveFewerThreads(400));
  flood.CancelAll();
  EXPECT_OK(Price("alice", world_->Plan(9, 11)));
  auto ends = flood.Collect();
  EXPECT_GT(ends[grpc::StatusCode::UNAVAILABLE], 0) << "bob's line is full";
  EXPECT_EQ(ends[grpc::StatusCode::OK] + ends[grpc::StatusCode::UNAVAILABLE] +
                ends[grpc::StatusCode::CANCELLED],
            2000);
  EXPECT_LT(Peak(), kMostKibibytes);
  EXPECT_LT(LogLinesWith("PricePlan"), 500) << "lines of a flood are left out";
  world_->server().Signal(SIGTERM);
  EXPECT_EQ(world_->server().Wait(), 0);
}

// Budgets of vouchers compose to say what is left.
TEST_F(CrowdingTest, ManyWhoAskForAVoucherBudgetAtOnceTakeTheMemoryOfOne) {
  Start({.epsilon = 5,
         .vouchers = {"0.7,0.001,2000"},  // some 150 MB to compose
         .more_analysts = {"carol", "dave"}});
  v1::ReleaseSpec plan = world_->Plan(0.7, 50);
  plan.set_sampling_rate(0.001);
  ASSERT_OK(WallWorld::Reserve(*world_->StubOf("alice"), plan, std::string(16, 'a')));
  std::vector<std::unique_ptr<v1::PrivacyWall::Stub>> stubs;
  for (const char* name : {"alice", "carol", "dave", "ann"}) {
    for (int i = 0; i < 2; ++i) stubs.push_back(world_->StubOnItsOwn(name));
  }
  Flood<v1::BudgetStatus> flood;
  for (size_t i = 0; i < 4 * stubs.size(); ++i) {
    v1::GetBudgetRequest request;
    request.set_corpus("notes");
    *request.mutable_reference_plan() = plan;
    request.mutable_reference_plan()->mutable_gaussian()->set_noise_multiplier(
        0.7 + 0.01 * static_cast<double>(i));
    flood.Send([&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
      return stubs[i % stubs.size()]->AsyncGetBudget(context, request, queue);
    });
  }
  auto ends = flood.Collect();
  EXPECT_GE(ends[grpc::StatusCode::OK], 4);
  EXPECT_EQ(ends[grpc::StatusCode::OK] + ends[grpc::StatusCode::UNAVAILABLE],
            static_cast<int>(4 * stubs.size()));
  EXPECT_LT(Peak(), kMostKibibytes);
}

// Thirty terms: no message of this wall needs a megabyte and a half.
TEST_F(CrowdingTest, MessagesThatNoPlanNeedsAreNotTakenIn) {
  Start();
  v1::ReleaseSpec plan = world_->Plan(8, 10);
  plan.set_weights(std::string(60 << 20, 'x'));
  std::vector<std::thread> callers;
  for (int i = 0; i < 12; ++i) {
    callers.emplace_back([&] {
      EXPECT_THAT(Price("alice", plan), AnyOf(StatusIs(absl::StatusCode::kResourceExhausted),
                                              StatusIs(absl::StatusCode::kUnavailable)));
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_LT(Peak(), kMostKibibytes);
  EXPECT_OK(Price("bob", world_->Plan(8, 10)));
}

// As many zeros as a few hundred kilobytes on the wire become. Compressed by the client while it
// sends, from one mebibyte.
grpc::ByteBuffer Zeros(size_t mebibytes) {
  const std::vector<grpc::Slice> slices(mebibytes, grpc::Slice(std::string(1 << 20, '\0')));
  return grpc::ByteBuffer(slices.data(), slices.size());
}

TEST_F(CrowdingTest, WhatWouldBeInflatedIsRefusedAsItIs) {
  Start();
  const grpc::SslCredentialsOptions files = FilesOf("bob");
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::GenericStub bob(grpc::CreateChannel(world_->address(), grpc::SslCredentials(files)));
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    grpc::CompletionQueue queue;
    const auto call = bob.PrepareUnaryCall(&context, "/topicwall.v1.PrivacyWall/DescribeCorpus",
                                           Zeros(400), &queue);
    call->StartCall();
    grpc::ByteBuffer reply;
    grpc::Status status;
    call->Finish(&reply, &status, nullptr);
    void* tag;
    bool ok;
    queue.Next(&tag, &ok);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
  }
  EXPECT_LT(Peak(), kMostKibibytes);
  EXPECT_OK(Price("alice", world_->Plan(8, 10)));
}

// Two bytes each on the wire, and tens of them once they are parsed.
std::string UnknownGroups(size_t bytes) {
  constexpr char kBegin = 15 << 3 | 3, kEnd = 15 << 3 | 4;
  std::string groups(bytes, kBegin);
  for (size_t i = 1; i < bytes; i += 2) groups[i] = kEnd;
  return groups;
}

TEST_F(CrowdingTest, FieldsThatNoRequestHasAreNotKept) {
  constexpr int kConnections = 24, kCallsOfEach = 3;
  Start();
  grpc::ChannelArguments apart;
  apart.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const grpc::Slice groups(UnknownGroups(1 << 20));
  const grpc::ByteBuffer request(&groups, 1);
  std::vector<std::unique_ptr<grpc::GenericStub>> alices;
  for (int i = 0; i < kConnections; ++i) {
    alices.push_back(std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
        world_->address(), grpc::SslCredentials(FilesOf("alice")), apart)));
  }
  Flood<grpc::ByteBuffer> flood;
  for (int i = 0; i < kConnections * kCallsOfEach; ++i) {
    flood.Send([&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
      auto call = alices[static_cast<size_t>(i) % alices.size()]->PrepareUnaryCall(
          context, "/topicwall.v1.PrivacyWall/PricePlan", request, queue);
      call->StartCall();
      return call;
    });
  }
  EXPECT_OK(Price("bob", world_->Plan(8, 10)));
  auto ends = flood.Collect();
  EXPECT_GT(ends[grpc::StatusCode::PERMISSION_DENIED], 0) << "a plan for no corpus";
  EXPECT_LT(Peak(), kMostKibibytes);
}

}  // namespace crowding_test
}  // namespace topicwall::testing
