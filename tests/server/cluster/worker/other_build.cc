// Linked by name, so that it takes the place of the build that was digested.
#include "server/executor/build.h"

namespace topicwall::executor {

absl::string_view Build() { return "another"; }

}  // namespace topicwall::executor
