// Work cut into blocks and dealt to threads, for loops whose results must not depend on how many
// threads there are.
//
//   ForEachBlock(num_blocks, num_threads, [&](size_t block, size_t thread) { … });
//
// Every block is done exactly once, in any order and on any thread. The result has the same bits
// for any `num_threads` as long as a block writes only what belongs to it, and sums over blocks are
// added up afterwards in the order of blocks. `thread`, below num_threads, picks a workspace.
//
// Errors: what `work` throws ends the loop and is thrown to the caller, once, whichever thread it
// was on. Where the machine has no more threads, or no memory for one, those there are do the work.
// Cost: starting and joining num_threads - 1 threads, some tens of microseconds each; what is run
// here takes milliseconds, so that there is no pool. One block or one thread: a plain loop.
#ifndef TOPICWALL_BASE_THREADS_FOR_EACH_BLOCK_H_
#define TOPICWALL_BASE_THREADS_FOR_EACH_BLOCK_H_

#include <cstddef>
#include <functional>

namespace topicwall::lda {

// num_threads below 1 count as 1.
void ForEachBlock(size_t num_blocks, int num_threads,
                  const std::function<void(size_t block, size_t thread)>& work);
// The same of [0, size) in parts of `part_size` >= 1, the last of which may be smaller.
void ForEachPart(size_t size, size_t part_size, int num_threads,
                 const std::function<void(size_t begin, size_t end, size_t thread)>& work);

// How many threads the machine runs at once; at least 1.
int NumProcessors();

}  // namespace topicwall::lda

#endif  // TOPICWALL_BASE_THREADS_FOR_EACH_BLOCK_H_
