#include "server/gate/e_step_call.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "proto/matrix_codec.h"
#include "server/gate/receive_deadline.h"
#include "server/gate/release_stream.h"
#include "server/vault/e_step_request.h"
#include "server/vault/private_e_step.h"

namespace topicwall::server {
namespace {

absl::StatusOr<std::vector<float>> ReceiveTopics(const AdmittedEStep& admitted,
                                                 EStepStream* stream) {
  TW_ASSIGN_OR_RETURN(proto::MatrixAssembler topics,
                      proto::MatrixAssembler::Create(
                          {.rows = admitted.num_topics(), .columns = admitted.vocabulary_size()}));
  v1::RunEStepRequest part;
  while (stream->Read(&part)) {
    if (!part.has_log_topics()) {
      return absl::InvalidArgumentError("after the header a request may hold log_topics only");
    }
    TW_RETURN_IF_ERROR(topics.Add(part.log_topics()));
  }
  return std::move(topics).Finish();
}

// The whole request, received into memory that is bounded for each principal and for all.
absl::StatusOr<EStepRequest> ReceiveRequest(Wall& wall, AdmittedEStep admitted,
                                            EStepStream* stream) {
  const int64_t bytes = int64_t{sizeof(float)} * admitted.num_topics() * admitted.vocabulary_size();
  const std::optional<UploadRoom::Place> room =
      wall.uploads().Enter(admitted.caller().principal, bytes);
  if (!room.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("the server receives ", kUploadsOfOne,
                     " requests of one analyst at once, and a bounded number of all; nothing was "
                     "charged, try again"));
  }
  TW_ASSIGN_OR_RETURN(std::vector<float> topics, ReceiveTopics(admitted, stream));
  return std::move(admitted).WithTopics(std::move(topics));
}

}  // namespace

absl::Status ServeEStep(Wall& wall, const Caller& caller, grpc::ServerContext* context,
                        EStepStream* stream) {
  ReceiveDeadline deadline(context);
  v1::RunEStepRequest first;
  if (!stream->Read(&first) || !first.has_header()) {
    return absl::InvalidArgumentError("the first part of a request must be its header");
  }
  TW_ASSIGN_OR_RETURN(AdmittedEStep admitted, AdmittedEStep::Admit(wall, caller, first.header()));
  const ServedCorpus& corpus = admitted.corpus();
  absl::StatusOr<EStepRequest> request = ReceiveRequest(wall, std::move(admitted), stream);
  if (!request.ok()) return wall.AnswerAct(corpus, request.status());
  deadline.Met();
  std::optional<release::ReleaseQueue::Place> place =
      wall.queue().Enter({.corpus = corpus.config.name(),
                          .length = corpus.config.limits().queue_length(),
                          .principal = caller.principal});
  if (!place.has_value()) {
    return wall.AnswerAct(corpus,
                          absl::UnavailableError("the corpus's queue, or your half of it, is full; "
                                                 "nothing was charged, try again"));
  }
  ReleaseStream<EStepStream> sink(stream);
  return RunPrivateEStep(wall, *request, std::move(*place), sink);
}

}  // namespace topicwall::server
