// gRPC's own log lines, as lines of the custodian's.
//
//   const GrpcLog attached(&wall.log());   // while it lives
//
// gRPC writes to standard error, in a form of its own and as often as its peers like. Here each
// line becomes an event that says where in gRPC's source it comes from and how severe it is. Its
// words are left out: nobody can promise what they hold. A bounded number of lines (line_budget.h).
//
// PUBLIC. One at a time in a process; while there is none, gRPC is silent. Threads: any.
#ifndef TOPICWALL_SERVER_GATE_GRPC_LOG_H_
#define TOPICWALL_SERVER_GATE_GRPC_LOG_H_

#include "server/log/event_log.h"

namespace topicwall::server {

class GrpcLog {
 public:
  // `log` must outlive this.
  explicit GrpcLog(EventLog* log);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_GRPC_LOG_H_
