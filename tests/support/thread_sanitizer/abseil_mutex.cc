// Tells the thread sanitizer what Debian's Abseil does not: its shared library is not built for
// the sanitizer, so that a lock of absl::Mutex orders nothing in the sanitizer's eyes and
// everything that it guards is reported as a race. The linker leads the calls of our code here
// (--wrap, in tests/support/CMakeLists.txt); "debian3" is the inline namespace of Debian 12's
// Abseil. Only what the rooms under the thread sanitizer use is wrapped: with another primitive
// their tests fail with false reports, never the other way round.
#include <sanitizer/tsan_interface.h>

namespace {

// A second address of a mutex, for what its readers have done: the next writer comes after them,
// and they in no order among each other.
void* ReadersOf(void* mutex) { return static_cast<char*>(mutex) + 1; }

}  // namespace

extern "C" {

// Abseil's own search for deadlocks copies with memmove, which the sanitizer sees, under a spin
// lock that it does not.
const char* __tsan_default_suppressions() {
  return "race:absl::debian3::synchronization_internal::GraphCycles\n";
}

void __real__ZN4absl7debian35Mutex4LockEv(void* mutex);
void __real__ZN4absl7debian35Mutex6UnlockEv(void* mutex);
void __real__ZN4absl7debian35Mutex10ReaderLockEv(void* mutex);
void __real__ZN4absl7debian35Mutex12ReaderUnlockEv(void* mutex);
void __real__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(void* changed, void* mutex);
void __real__ZN4absl7debian312Notification6NotifyEv(void* notification);
void __real__ZNK4absl7debian312Notification19WaitForNotificationEv(const void* notification);

void __wrap__ZN4absl7debian35Mutex4LockEv(void* mutex) {
  __real__ZN4absl7debian35Mutex4LockEv(mutex);
  __tsan_acquire(mutex);
  __tsan_acquire(ReadersOf(mutex));
}

void __wrap__ZN4absl7debian35Mutex6UnlockEv(void* mutex) {
  __tsan_release(mutex);
  __real__ZN4absl7debian35Mutex6UnlockEv(mutex);
}

void __wrap__ZN4absl7debian35Mutex10ReaderLockEv(void* mutex) {
  __real__ZN4absl7debian35Mutex10ReaderLockEv(mutex);
  __tsan_acquire(mutex);
}

void __wrap__ZN4absl7debian35Mutex12ReaderUnlockEv(void* mutex) {
  __tsan_release(ReadersOf(mutex));
  __real__ZN4absl7debian35Mutex12ReaderUnlockEv(mutex);
}

void __wrap__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(void* changed, void* mutex) {
  __tsan_release(mutex);
  __real__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(changed, mutex);
  __tsan_acquire(mutex);
}

void __wrap__ZN4absl7debian312Notification6NotifyEv(void* notification) {
  __tsan_release(notification);
  __real__ZN4absl7debian312Notification6NotifyEv(notification);
}

void __wrap__ZNK4absl7debian312Notification19WaitForNotificationEv(const void* notification) {
  __real__ZNK4absl7debian312Notification19WaitForNotificationEv(notification);
  __tsan_acquire(const_cast<void*>(notification));
}

}  // extern "C"
