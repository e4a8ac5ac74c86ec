#include <topicwall_version.h>

#include "client/python/bindings.h"

PYBIND11_MODULE(_topicwall, module) {
  module.doc() = "What topicwall's classes are made of; not for direct use.";
  module.attr("__version__") = topicwall::kVersion;
  topicwall::client::BindErrors(module);
  topicwall::client::BindDocuments(module);
  topicwall::client::BindTopics(module);
  topicwall::client::BindFittedModel(module);
  topicwall::client::BindReading(module);
  topicwall::client::BindReport(module);
}
