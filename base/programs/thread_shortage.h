// How a program ends for which the machine has no thread.
//
//   int main(…) { base::ExplainThreadShortage("topicwall-server"); … }
//
// A std::system_error for want of a thread that nobody catches then ends the process with exit
// code 1 and a sentence on standard error, in the place of SIGABRT. Nothing is destroyed on the
// way, so no thread is waited for. Every other end stays as it was. PUBLIC. Threads: one.
#ifndef TOPICWALL_BASE_PROGRAMS_THREAD_SHORTAGE_H_
#define TOPICWALL_BASE_PROGRAMS_THREAD_SHORTAGE_H_

namespace topicwall::base {

// `program` begins the sentence, and outlives the process's threads (a literal).
void ExplainThreadShortage(const char* program);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_PROGRAMS_THREAD_SHORTAGE_H_
