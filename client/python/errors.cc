#include "client/python/errors.h"

#include <string>

#include "base/table.h"
#include "client/exit_code.h"
#include "client/python/bindings.h"

namespace py = pybind11;

namespace topicwall::client {

namespace {

// A wall's words need not be UTF-8, and an error must not become another one.
py::str Shown(const std::string& text) {
  return py::reinterpret_steal<py::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

}  // namespace

void ThrowUnlessOk(const absl::Status& status) {
  if (status.ok()) {
    return;
  }
  const py::object error =
      py::module_::import("topicwall._errors")
          .attr("of_status")(static_cast<int>(status.code()),
                             Shown(base::WithoutControls(Explain(status), "\n\t")),
                             Shown(ErrorJson(status)));
  // The instance as Python made it, fields and all; error_already_set takes it from there.
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

// For tests: what a status becomes.
void BindErrors(py::module_& module) {
  module.def("_raise", [](int code, const py::bytes& message) {
    ThrowUnlessOk(absl::Status(static_cast<absl::StatusCode>(code), std::string(message)));
  });
}

}  // namespace topicwall::client
