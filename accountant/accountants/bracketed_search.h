// Where a price crosses its target, in few prices: the ITP method (Oliveira, Takahashi 2020).
//
//   BracketedSearch search({.refused = {0, 1.2}, .fits = {1, -0.7}, .tolerance = 1e-9});
//   while (!search.done()) { const double at = search.Next(); search.Record({at, Excess(at)}); }
//   search.fits().at                                   // or CloseIn(params, excess)
//
// Between an end whose excess over the target is > 0 (refused) and one where it is ≤ 0 (fits),
// interpolate, pull towards the middle a little, and never stray so far that bisection with one
// more step would have been quicker. Smooth excess: about 8 steps from a bracket of width 1 to
// 1e-9; any excess at all, jumps and infinities included: at most those of bisection and two. An
// excess of ±1, yes or no, makes it bisection. (Boost's toms748_solve asks as often where all is
// smooth, and never ends at infinities and NaN.)
// PUBLIC. One thread.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_BRACKETED_SEARCH_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_BRACKETED_SEARCH_H_

#include "absl/functional/function_ref.h"

namespace topicwall::accountant {

class BracketedSearch {
 public:
  struct Trial {
    double at;      // where
    double excess;  // price over target, on any increasing scale that is 0 at the target
  };
  struct Params {
    Trial refused;     // excess > 0, or NaN
    Trial fits;        // excess ≤ 0; on either side of the other
    double tolerance;  // > 0: how close the ends shall come
  };

  explicit BracketedSearch(const Params& params);

  const Trial& refused() const { return refused_; }
  const Trial& fits() const { return fits_; }
  bool done() const;

  // A place between the ends. Only while not done.
  double Next() const;
  // What was found at a place between the ends, Next() or one near it.
  void Record(const Trial& trial);

 private:
  Trial refused_;
  Trial fits_;
  double tolerance_;
  double first_width_;
  double reach_;  // the width of the ends may still have at this step, half of it
};

// ln(value/target): ≤ 0 exactly where value ≤ target, whatever is rounded.
double LogExcess(double value, double target);

// Where it fits, once the search has asked until it is done. An end that was not asked for may have
// an infinite excess.
double CloseIn(const BracketedSearch::Params& params, absl::FunctionRef<double(double at)> excess);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_BRACKETED_SEARCH_H_
