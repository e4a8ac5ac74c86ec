// A release, or some of it, by its two numbers.
#ifndef TOPICWALL_TESTS_ACCOUNTANT_RELEASES_H_
#define TOPICWALL_TESTS_ACCOUNTANT_RELEASES_H_

#include <cstdint>

#include "accountant/events/dp_event.h"

namespace topicwall::accountant {

inline SubsampledGaussian Release(double nu, double sigma) {
  return *SubsampledGaussian::Create({.sampling_rate = nu, .noise_multipliers = {sigma}});
}

inline DpEvent Event(double nu, double sigma, int64_t count) {
  return {.release = Release(nu, sigma), .count = count};
}

}  // namespace topicwall::accountant

#endif  // TOPICWALL_TESTS_ACCOUNTANT_RELEASES_H_
