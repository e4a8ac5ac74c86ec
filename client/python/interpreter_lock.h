// The interpreter's lock, given back while C++ works, and held again by a function that it calls.
//
//   {
//     const LockReleased unlocked;          // what is here must not touch a Python object
//     file = ReadModelSoFar(path);
//   }
//   const LockHeld locked;                  // inside of the former: Python may be called
//
// As pybind11's, but for a daemon thread when the interpreter ends. Up to Python 3.13 whoever then
// asks for the lock is ended by pthread_exit, which unwinds the stack as an exception does: out of
// a destructor it aborts the process, and past one it would give up objects that nobody may touch
// any more. So such a thread stays where it is until the process is gone, as from Python 3.14 on.
#ifndef TOPICWALL_CLIENT_PYTHON_INTERPRETER_LOCK_H_
#define TOPICWALL_CLIENT_PYTHON_INTERPRETER_LOCK_H_

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace topicwall::client {

template <typename Take>
void TakeOrStay(const Take& take) {
  try {
    take();
  } catch (const abi::__forced_unwind&) {
    // Not left: an unwinding that is caught must go on.
    while (true) ::pause();
  }
}

class LockReleased {
 public:
  LockReleased() : state_(PyEval_SaveThread()) {}
  ~LockReleased() {
    TakeOrStay([this] { PyEval_RestoreThread(state_); });
  }
  LockReleased(const LockReleased&) = delete;
  LockReleased& operator=(const LockReleased&) = delete;

 private:
  PyThreadState* const state_;
};

class LockHeld {
 public:
  LockHeld() : state_() {
    TakeOrStay([this] { state_ = PyGILState_Ensure(); });
  }
  ~LockHeld() { PyGILState_Release(state_); }
  LockHeld(const LockHeld&) = delete;
  LockHeld& operator=(const LockHeld&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PYTHON_INTERPRETER_LOCK_H_
