#include "server/gate/grpc_log.h"

#include <grpc/support/log.h>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"

namespace topicwall::server {
namespace {

ABSL_CONST_INIT absl::Mutex mutex(absl::kConstInit);
EventLog* attached ABSL_GUARDED_BY(mutex) = nullptr;

absl::string_view FileOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

// gRPC passes no pointer along, hence the one log of the file. The lock is held while the line is
// written, so that whoever detaches it may destroy it.
void Log(gpr_log_func_args* line) {
  absl::MutexLock lock(&mutex);
  if (attached == nullptr) return;
  attached->WriteBounded(
      "grpc", LogEvent::kGrpc,
      {{LogField::kSeverity, std::string(gpr_log_severity_string(line->severity))},
       {LogField::kSource, absl::StrCat(FileOf(line->file), ":", line->line)}});
}

}  // namespace

GrpcLog::GrpcLog(EventLog* log) {
  absl::MutexLock lock(&mutex);
  attached = log;
  gpr_set_log_function(Log);
}

GrpcLog::~GrpcLog() {
  absl::MutexLock lock(&mutex);
  attached = nullptr;
}

}  // namespace topicwall::server
