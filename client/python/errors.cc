#include "client/python/errors.h"

#include <string>

#include "client/exit_code.h"
#include "client/python/bindings.h"

namespace py = pybind11;

namespace topicwall::client {

void ThrowUnlessOk(const absl::Status& status) {
  if (status.ok()) {
    return;
  }
  const py::object error =
      py::module_::import("topicwall._errors")
          .attr("of_status")(static_cast<int>(status.code()), Explain(status), ErrorJson(status));
  // The instance as Python made it, fields and all; error_already_set takes it from there.
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

// For tests: what a status becomes.
void BindErrors(py::module_& module) {
  module.def("_raise", [](int code, const std::string& message) {
    ThrowUnlessOk(absl::Status(static_cast<absl::StatusCode>(code), message));
  });
}

}  // namespace topicwall::client
