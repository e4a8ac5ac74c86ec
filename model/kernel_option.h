// The options --kernel and --list-kernels of a program that computes statistics of documents.
//
//   AddKernelOption(line.root(), "The E-step's arithmetic");
#ifndef TOPICWALL_MODEL_KERNEL_OPTION_H_
#define TOPICWALL_MODEL_KERNEL_OPTION_H_

#include <string>

#include "base/command_line.h"

namespace topicwall::model {

// --kernel NAME, otherwise $TOPICWALL_KERNEL, chooses for the process (ChooseKernel); a name that
// this processor cannot run is an error of usage.
void AddKernelOption(base::Command program, const std::string& what);

// --list-kernels prints the names that this processor can run, and ends the program.
void AddKernelList(base::Command program);

}  // namespace topicwall::model

#endif  // TOPICWALL_MODEL_KERNEL_OPTION_H_
