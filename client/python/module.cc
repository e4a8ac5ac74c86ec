#include <topicwall_version.h>

#include <cstdlib>

#include "client/python/bindings.h"

PYBIND11_MODULE(_topicwall, module) {
  // gRPC's own log says in its words what our errors say in ours; GRPC_VERBOSITY brings it back.
  ::setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  module.doc() = "What topicwall's classes are made of; not for direct use.";
  module.attr("__version__") = topicwall::kVersion;
  topicwall::client::BindErrors(module);
  topicwall::client::BindPaidJob(module);
  topicwall::client::BindWall(module);
  topicwall::client::BindFit(module);
  topicwall::client::BindQuestions(module);
  topicwall::client::BindDocuments(module);
  topicwall::client::BindTopics(module);
  topicwall::client::BindFittedModel(module);
  topicwall::client::BindGaussians(module);
  topicwall::client::BindReading(module);
  topicwall::client::BindReport(module);
}
