// Part: a wall with little memory. What a release takes after its charge may not depend on a unit,
// or its failure tells of the unit.
//
// Releases of two corpora, K = 100 and V = 50,000, of which one has an owner with every word of the
// vocabulary in five documents, are computed each in a child process whose address space is
// limited: from below what the smaller corpus was measured to take to far above it. Asked of every
// limit: the same answers, at the same instant, and no death.
//
// The children are forked from this process and open walls of their own; it must have no other
// threads then, and no memory that earlier parts gave back and a child would take again without its
// limit being asked: so this part comes first. On a machine that gives out less than
// is asked for the finding is NOT FINISHED. A limit is a false alarm at most once in 10^8 runs.
#ifndef TOPICWALL_SERVER_AUDIT_MEMORY_PART_H_
#define TOPICWALL_SERVER_AUDIT_MEMORY_PART_H_

#include <vector>

#include "absl/status/statusor.h"
#include "server/audit/audit_options.h"
#include "server/audit/finding.h"
#include "server/audit/scratch_folder.h"

namespace topicwall::audit {

absl::StatusOr<std::vector<Finding>> AuditMemory(const AuditOptions& options,
                                                 ScratchFolder* folder);

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_MEMORY_PART_H_
