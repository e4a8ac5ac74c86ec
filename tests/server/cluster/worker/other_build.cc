// Linked by name, so that it takes the place of the build that was digested.
#include "server/cluster/job_messages.h"

namespace topicwall::cluster {

absl::string_view Build() { return "another"; }

}  // namespace topicwall::cluster
