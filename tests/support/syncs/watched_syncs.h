// What this process asks of the disk under a folder, in order: which descriptors it syncs and which
// names it gives. Programs that link topicwall_test_syncs have their calls of fsync, fdatasync,
// rename and renameat2 seen here, and made as ever.
//
//   const WatchedSyncs syncs(folder.path());
//   …
//   EXPECT_THAT(syncs.acts(), ElementsAre("sync file.partial", "rename file.partial file",
//                                         "sync ."));
//
// Names are relative to the folder, which is "." itself. A sync that fails fails with EIO and
// leaves the disk alone. One lives at a time. Threads: any may sync.
#ifndef TOPICWALL_TESTS_SUPPORT_SYNCS_WATCHED_SYNCS_H_
#define TOPICWALL_TESTS_SUPPORT_SYNCS_WATCHED_SYNCS_H_

#include <string>
#include <vector>

namespace topicwall::testing {

class WatchedSyncs {
 public:
  // `fails`: the name whose syncs fail; none if empty.
  explicit WatchedSyncs(std::string folder, std::string fails = "");
  ~WatchedSyncs();
  WatchedSyncs(const WatchedSyncs&) = delete;
  WatchedSyncs& operator=(const WatchedSyncs&) = delete;

  std::vector<std::string> acts() const;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_SYNCS_WATCHED_SYNCS_H_
