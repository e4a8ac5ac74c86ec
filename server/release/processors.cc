#include "server/release/processors.h"

#include <algorithm>

namespace topicwall::release {

Processors Processors::OfThisProcess() {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof(all), &all) != 0) CPU_ZERO(&all);
  // A service manager's filter of system calls may refuse it: better known now than promised.
  if (sched_setaffinity(0, sizeof(all), &all) != 0) CPU_ZERO(&all);
  return Of(all);
}

Processors Processors::Of(const cpu_set_t& all) {
  // At least one computes. The free ones are the last, on every machine and at every start the
  // same.
  const int num_free = std::clamp(CPU_COUNT(&all) - 1, 0, 2);
  cpu_set_t others = all;
  int left = num_free;
  for (int processor = CPU_SETSIZE - 1; processor >= 0 && left > 0; --processor) {
    if (!CPU_ISSET(processor, &others)) continue;
    CPU_CLR(processor, &others);
    --left;
  }
  return {all, others, num_free};
}

void Processors::Use(const cpu_set_t& processors) const {
  // Cannot fail for a part of what the process was given; if that has changed meanwhile, the thread
  // stays where it is.
  if (num_free_ > 0) sched_setaffinity(0, sizeof(processors), &processors);
}

}  // namespace topicwall::release
