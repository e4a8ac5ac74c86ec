// Tells the thread sanitizer what Debian's Abseil does not: its shared library is not built for
// the sanitizer, so that a lock of absl::Mutex orders nothing in the sanitizer's eyes and
// everything that it guards is reported as a race. The linker leads the calls of our code here
// (--wrap, in tests/support/CMakeLists.txt); "debian3" is the inline namespace of Debian 12's
// Abseil. Only what the rooms under the thread sanitizer use is wrapped: with another primitive
// their tests fail with false reports, never the other way round.
#include <sanitizer/tsan_interface.h>

extern "C" {

void __real__ZN4absl7debian35Mutex4LockEv(void* mutex);
void __real__ZN4absl7debian35Mutex6UnlockEv(void* mutex);

void __wrap__ZN4absl7debian35Mutex4LockEv(void* mutex) {
  __real__ZN4absl7debian35Mutex4LockEv(mutex);
  __tsan_acquire(mutex);
}

void __wrap__ZN4absl7debian35Mutex6UnlockEv(void* mutex) {
  __tsan_release(mutex);
  __real__ZN4absl7debian35Mutex6UnlockEv(mutex);
}

}  // extern "C"
