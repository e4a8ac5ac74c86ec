// Who was drawn, release by release, and whether that is what independent coins of the paid rate
// do.
//
//   DrawSums sums(/*units=*/512, /*rate=*/0.3);
//   sums.Add(drawn);   // of one release: a flag for each unit
//   std::vector<Finding> findings = sums.Report(x);
//
// `x`: each check fails by chance with probability at most e^-x on each side. Fewer units drawn
// than were paid for is UTILITY LOST, everything else VIOLATED. Threads: one.
#ifndef TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_SUMS_H_
#define TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/audit/finding.h"

namespace topicwall::audit {

class DrawSums {
 public:
  DrawSums(std::size_t units, double rate);

  void Add(const std::vector<bool>& drawn);
  // Of at least two releases and two units.
  std::vector<Finding> Report(double x) const;

 private:
  struct Pairs {
    int64_t all = 0;
    int64_t alike = 0;
    void Add(bool one, bool other) {
      ++all;
      alike += one == other ? 1 : 0;
    }
  };
  Finding Altogether(double x) const;
  Finding OfEachUnit(double x) const;
  Finding Batches(double x) const;
  Finding Alike(std::string claim, const Pairs& pairs, double x) const;

  const double rate_;
  const double near_;  // half of all batches are within so much of their mean, or a few more
  int64_t releases_ = 0;
  int64_t drawn_ = 0;
  int64_t near_batches_ = 0;
  std::vector<int64_t> drawn_of_unit_;
  // Units 2i and 2i + 1 of one release; releases 2j - 1 and 2j of one unit. No coin is in two.
  Pairs units_, releases_of_unit_;
  std::vector<bool> last_;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_STATISTICS_DRAW_SUMS_H_
