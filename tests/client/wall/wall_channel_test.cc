#include "client/wall/wall_channel.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wall.grpc.pb.h"
#include "tests/client/wall_service_double.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace wall_channel_test {

// Answers whatever it is asked with 400 MiB of zeros, which are a few hundred kilobytes on the
// wire and one mebibyte in its own memory.
class Inflater : public grpc::CallbackGenericService {
  class Answer : public grpc::ServerGenericBidiReactor {
   public:
    explicit Answer(grpc::GenericCallbackServerContext* context) {
      context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
      const std::vector<grpc::Slice> slices(400, grpc::Slice(std::string(1 << 20, '\0')));
      zeros_ = grpc::ByteBuffer(slices.data(), slices.size());
      StartWrite(&zeros_);
    }
    void OnWriteDone(bool) override { Finish(grpc::Status::OK); }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer zeros_;
  };
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new Answer(context);
  }
};

// KiB. Counted from now on where `anew`.
int64_t Peak(bool anew) {
  if (anew) std::ofstream("/proc/self/clear_refs") << "5";
  std::ifstream status("/proc/self/status");
  int64_t peak = 0;
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") status >> peak;
  }
  return peak;
}

TEST(WallChannelTest, AWallsAnswerThatWouldBeInflatedIsRefusedAsItIs) {
  const testing::TemporaryDirectory folder;
  ASSERT_TRUE(MakeCertificates(folder.path()));
  Inflater inflater;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", ServersTls(folder.path()), &port);
  builder.RegisterCallbackGenericService(&inflater);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto stub = v1::PrivacyWall::NewStub(
      MakeChannel(absl::StrCat("127.0.0.1:", port), AlicesCredentials(folder.path())));
  const int64_t before = Peak(/*anew=*/true);
  grpc::ClientContext context;
  v1::CorpusDescription description;
  const grpc::Status status = stub->DescribeCorpus(&context, {}, &description);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
  EXPECT_LT(Peak(/*anew=*/false) - before, 200 * 1024) << "KiB";
}

}  // namespace wall_channel_test
}  // namespace topicwall::client
