// A vector of floats that begins on a cache line, so that a row padded to 16 floats never straddles
// one line more than it must.
#ifndef TOPICWALL_MODEL_LDA_MATH_ALIGNED_FLOATS_H_
#define TOPICWALL_MODEL_LDA_MATH_ALIGNED_FLOATS_H_

#include <cstddef>
#include <new>
#include <vector>

namespace topicwall::lda {

inline constexpr size_t kCacheLineBytes = 64;

template <typename T>
struct CacheLineAllocator {
  using value_type = T;

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT: allocators convert

  T* allocate(size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kCacheLineBytes}));
  }
  void deallocate(T* p, size_t) { ::operator delete (p, std::align_val_t{kCacheLineBytes}); }

  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_ALIGNED_FLOATS_H_
