#include "base/threads/for_each_block.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace topicwall::lda {

void ForEachBlock(size_t num_blocks, int num_threads,
                  const std::function<void(size_t block, size_t thread)>& work) {
  std::atomic<size_t> next_block{0};
  std::mutex mutex;
  std::exception_ptr thrown;  // guarded by mutex
  // Blocks are taken from one counter, not dealt out beforehand: they differ in length by far, and
  // a thread that got the long ones would keep the others waiting. The counter orders nothing but
  // itself; results are seen by the caller because threads are joined.
  const auto run = [&](size_t thread) {
    try {
      for (size_t block = next_block++; block < num_blocks; block = next_block++) {
        work(block, thread);
      }
    } catch (...) {
      // The others stop at their next block; what they have done is of no use to the caller.
      next_block = num_blocks;
      const std::lock_guard<std::mutex> lock(mutex);
      if (thrown == nullptr) thrown = std::current_exception();
    }
  };
  const size_t wanted = std::min(static_cast<size_t>(std::max(num_threads, 1)), num_blocks);
  std::vector<std::thread> others;
  try {
    for (size_t thread = 1; thread < wanted; ++thread) others.emplace_back(run, thread);
  } catch (const std::exception&) {
    // Fewer threads than wanted will do: the result is the same.
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

void ForEachPart(size_t size, size_t part_size, int num_threads,
                 const std::function<void(size_t begin, size_t end, size_t thread)>& work) {
  const size_t num_parts = (size + part_size - 1) / part_size;
  ForEachBlock(num_parts, num_threads, [&](size_t part, size_t thread) {
    work(part * part_size, std::min(size, (part + 1) * part_size), thread);
  });
}

int NumProcessors() { return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u)); }

}  // namespace topicwall::lda
