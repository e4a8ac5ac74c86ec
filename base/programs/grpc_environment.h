// What the environment may not decide about gRPC in a program of ours.
//
//   int main(…) { base::RestrictGrpcEnvironment(); … }   // before any thread and any use of gRPC
//
// gRPC reads variables of its own at its first use. Of the whole process, and of what it starts
// later: in an interpreter also for other modules that use gRPC. PUBLIC. Threads: none other may
// read or write the environment meanwhile.
#ifndef TOPICWALL_BASE_PROGRAMS_GRPC_ENVIRONMENT_H_
#define TOPICWALL_BASE_PROGRAMS_GRPC_ENVIRONMENT_H_

namespace topicwall::base {

// Unsets GRPC_SSL_CIPHER_SUITES, by which connections may be without encryption, or none be had at
// all; and GRPC_POLL_STRATEGY, of which a name that gRPC does not know ends the process.
void RestrictGrpcEnvironment();

// Without gRPC's own log, which says in its words what our errors say in ours. GRPC_VERBOSITY, if
// it is set, brings it back.
void SilenceGrpc();

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_PROGRAMS_GRPC_ENVIRONMENT_H_
