// The parts of the extension module `_topicwall`: one function a source file, called once each by
// module.cc. Only what Python cannot do itself is here: the wall, the trainer, the model file. What
// an analyst sees (tables, repr, defaults, prompts) is Python, in topicwall/.
//
// Every call that may take longer than a millisecond gives up the interpreter's lock. Arrays that
// are given out are read-only views of memory whose owner they keep alive.
#ifndef TOPICWALL_CLIENT_PYTHON_BINDINGS_H_
#define TOPICWALL_CLIENT_PYTHON_BINDINGS_H_

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace topicwall::client {

void BindErrors(pybind11::module_& module);
void BindPaidJob(pybind11::module_& module);
void BindWall(pybind11::module_& module);
void BindFit(pybind11::module_& module);
void BindQuestions(pybind11::module_& module);
void BindDocuments(pybind11::module_& module);
void BindTopics(pybind11::module_& module);
void BindFittedModel(pybind11::module_& module);
void BindGaussians(pybind11::module_& module);
void BindReading(pybind11::module_& module);
void BindReport(pybind11::module_& module);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_BINDINGS_H_
