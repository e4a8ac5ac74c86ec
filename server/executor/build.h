// By what this program makes a release of a receipt: one of all that is compiled into it.
//
// A digest, in hex, of the sources from the receipt to the noise, their compiler, its flags and the
// processor's family (build.cmake). Others may make other numbers of a unit, under the same
// kernel's name. So a charge names it (IterationCharged.computed_with) and no other computes it
// again; and the ranks of a job have the vault's.
//
// PUBLIC. Threads: any.
#ifndef TOPICWALL_SERVER_EXECUTOR_BUILD_H_
#define TOPICWALL_SERVER_EXECUTOR_BUILD_H_

#include "absl/strings/string_view.h"

namespace topicwall::executor {

absl::string_view Build();

}  // namespace topicwall::executor

#endif  // TOPICWALL_SERVER_EXECUTOR_BUILD_H_
