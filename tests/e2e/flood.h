// Many calls at once that nobody waits for.
//
//   Flood<v1::PlanPrice> flood;
//   flood.Send([&](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
//     return stub.AsyncPricePlan(context, request, queue);
//   });
//   flood.CancelAll();
//   flood.Collect()[grpc::StatusCode::CANCELLED];
#ifndef TOPICWALL_TESTS_E2E_FLOOD_H_
#define TOPICWALL_TESTS_E2E_FLOOD_H_

#include <grpcpp/grpcpp.h>

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace topicwall::testing {

template <typename Reply>
class Flood {
 public:
  ~Flood() {
    CancelAll();
    Collect();
    queue_.Shutdown();
  }

  template <typename Start>
  void Send(const Start& start) {
    auto call = std::make_unique<Call>();
    call->reader = start(&call->context, &queue_);
    call->reader->Finish(&call->reply, &call->status, call.get());
    calls_.push_back(std::move(call));
  }
  void CancelAll() {
    for (const auto& call : calls_) call->context.TryCancel();
  }
  // How many ended how, once all have.
  const std::map<grpc::StatusCode, int>& Collect() {
    for (; collected_ < calls_.size(); ++collected_) {
      void* tag;
      bool ok;
      queue_.Next(&tag, &ok);
      ++ends_[static_cast<Call*>(tag)->status.error_code()];
    }
    return ends_;
  }

 private:
  struct Call {
    grpc::ClientContext context;
    grpc::Status status;
    Reply reply;
    std::unique_ptr<grpc::ClientAsyncResponseReader<Reply>> reader;
  };
  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<Call>> calls_;
  size_t collected_ = 0;
  std::map<grpc::StatusCode, int> ends_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_FLOOD_H_
