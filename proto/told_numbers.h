// How ε, δ and what is compared with a bound are written wherever people read them: by the server,
// on the screen, in reports, in Python. The same number has the same text everywhere; of what is
// promised or spent no text says less than it is, and of what is left none says more. PUBLIC. Pure.
#ifndef TOPICWALL_PROTO_TOLD_NUMBERS_H_
#define TOPICWALL_PROTO_TOLD_NUMBERS_H_

#include <string>

namespace topicwall::proto {

// "-1.50" of −1.4999 and 2 digits, to the nearest; never "-0.00".
std::string Fixed(double value, int digits);
// `digits` behind the point, never less than a value that is not negative, and never more: but for
// what adding doubles makes of it, so that 2.44 is 2.4400 both ways.
std::string RoundedUp(double value, int digits);
std::string RoundedDown(double value, int digits);
// The same with two digits that count, and never by powers of ten above one: "0.99" and "1" of
// 0.996, "616" and "617" of 616.1. Of values >= 0.
std::string TwoDigitsUp(double value);
std::string TwoDigitsDown(double value);

// "2.4400": four digits, rounded up. What was taken is the difference of two such texts, so that a
// column of them adds up.
std::string EpsilonText(double epsilon);
double Told(double epsilon);  // the number that text says
std::string TakenText(double before, double after);
// Four digits, rounded down: of a number that is left; and of a total with what is spent of it,
// where what is told as taken is what this goes down by. "0.0000" beyond the total.
std::string LeftText(double left);
std::string LeftText(double total, double spent);
// "0.0193 of the 1.2436 left". Where both rounded would say that what fits takes more than is left,
// "all of the 1.3807 left"; of infinity "more than all of the 1.3807 left".
std::string TakenOfLeftText(double total, double before, double after);
// "1.3e-06": three digits that count, rounded up.
std::string DeltaText(double delta);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_TOLD_NUMBERS_H_
