#include "base/programs/thread_shortage.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <system_error>

namespace topicwall::base {
namespace {

const char* name = "";
std::terminate_handler before = nullptr;

// The standard library throws it where pthread_create says EAGAIN.
bool IsThreadShortage() {
  const std::exception_ptr thrown = std::current_exception();
  if (thrown == nullptr) return false;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again;
  } catch (...) {
  }
  return false;
}

[[noreturn]] void End() {
  if (!IsThreadShortage()) {
    if (before != nullptr) before();
    std::abort();
  }
  std::fprintf(stderr,
               "%s: no thread could be started: its user or service has as many as it may; raise "
               "TasksMax= and LimitNPROC= of the unit, or ulimit -u\n",
               name);
  _exit(1);
}

}  // namespace

void ExplainThreadShortage(const char* program) {
  name = program;
  before = std::set_terminate(End);
}

}  // namespace topicwall::base
