#include "server/release/processors.h"

#include <algorithm>

#include "server/release/resource_limits.h"

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

int Processors::NumFreeNow() const {
  cpu_set_t now;
  CPU_ZERO(&now);
  if (sched_getaffinity(0, sizeof(now), &now) != 0) return 0;
  return NumFreeOf(now, ProcessorsOfQuota());
}

int Processors::NumFreeOf(const cpu_set_t& now, double quota) const {
  cpu_set_t computing;
  CPU_AND(&computing, &now, &others_);
  const int left = CPU_COUNT(&computing);
  // Without any that is left to it, whoever computes does so wherever the process may.
  if (left == 0 || !(quota >= CPU_COUNT(&now))) return 0;
  return std::min(num_free_, CPU_COUNT(&now) - left);
}

void Processors::Use(const cpu_set_t& processors) const {
  // Cannot fail for a part of what the process was given; if that has changed meanwhile, the thread
  // stays where it is.
  if (num_free_ > 0) sched_setaffinity(0, sizeof(processors), &processors);
}

}  // namespace topicwall::release
