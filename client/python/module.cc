#include <topicwall_version.h>

#include <algorithm>

#include "base/programs/grpc_environment.h"
#include "client/python/bindings.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

// By protocols 0 and 1 pickle would make an object of the base that pybind11's classes share, which
// ends the process. The way of protocol 2 is one for all of them, and a TypeError for a class
// without a state of its own.
py::object Reduced(const py::object& self, int protocol) {
  return py::module_::import("builtins")
      .attr("object")
      .attr("__reduce_ex__")(self, std::max(protocol, 2));
}

void PickleByProtocol2(const py::module_& module) {
  for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
    if (!py::isinstance<py::type>(value)) continue;
    py::setattr(value, "__reduce_ex__",
                py::cpp_function(&Reduced, py::name("__reduce_ex__"), py::is_method(value),
                                 py::arg("protocol")));
  }
}

}  // namespace
}  // namespace topicwall::client

PYBIND11_MODULE(_topicwall, module) {
  topicwall::base::RestrictGrpcEnvironment();
  topicwall::base::SilenceGrpc();
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
  topicwall::client::PickleByProtocol2(module);
}
