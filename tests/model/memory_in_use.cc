#include "tests/model/memory_in_use.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

// A sanitizer's own have to find what is written beside memory; what is taken is counted elsewhere.
#ifdef __has_feature
#define TOPICWALL_IS_SANITIZED __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#else
#define TOPICWALL_IS_SANITIZED 0
#endif

namespace {

std::atomic<int64_t> bytes_in_use{0};

}  // namespace

#if !(TOPICWALL_IS_SANITIZED)

namespace {

constexpr std::align_val_t kUsual{__STDCPP_DEFAULT_NEW_ALIGNMENT__};

// In front of what is given stands how much it is.
void* Get(size_t size, std::align_val_t alignment) {
  const auto multiple = static_cast<size_t>(alignment);
  const size_t whole = multiple + (size + multiple - 1) / multiple * multiple;
  void* const bytes = std::aligned_alloc(multiple, whole);
  if (bytes == nullptr) throw std::bad_alloc();
  std::memcpy(bytes, &size, sizeof(size));
  bytes_in_use += static_cast<int64_t>(size);
  return static_cast<char*>(bytes) + multiple;
}

void Free(void* given, std::align_val_t alignment) {
  if (given == nullptr) return;
  void* const bytes = static_cast<char*>(given) - static_cast<size_t>(alignment);
  size_t size;
  std::memcpy(&size, bytes, sizeof(size));
  bytes_in_use -= static_cast<int64_t>(size);
  std::free(bytes);
}

}  // namespace

// None is inlined: GCC takes free for a mismatch where it sees one of two alone.
[[gnu::noinline]] void* operator new(size_t size) { return Get(size, kUsual); }
[[gnu::noinline]] void* operator new(size_t size, std::align_val_t alignment) {
  return Get(size, alignment);
}
[[gnu::noinline]] void operator delete(void* given) noexcept { Free(given, kUsual); }
[[gnu::noinline]] void operator delete(void* given, size_t) noexcept { Free(given, kUsual); }
[[gnu::noinline]] void operator delete(void* given, std::align_val_t alignment) noexcept {
  Free(given, alignment);
}
[[gnu::noinline]] void operator delete(void* given, size_t, std::align_val_t alignment) noexcept {
  Free(given, alignment);
}

#endif

namespace topicwall::testing {

int64_t MemoryInUse() { return bytes_in_use; }

}  // namespace topicwall::testing
