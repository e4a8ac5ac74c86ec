#include "base/programs/grpc_environment.h"

#include <cstdlib>

namespace topicwall::base {

void RestrictGrpcEnvironment() {
  ::unsetenv("GRPC_SSL_CIPHER_SUITES");
  ::unsetenv("GRPC_POLL_STRATEGY");
}

void SilenceGrpc() { ::setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0); }

}  // namespace topicwall::base
