// Numbers as a report has them: of six digits, and finite.
//
//   if (!RoundNumbers(report)) return …;   // one of them is infinite or NaN
//
// What is gathered anew on another machine, whose mathematical library differs in the last bits,
// has the same six digits but for about one number in 10⁹; so two reports are compared exactly, and
// a number altered in any digit is a difference. What is promised or spent (ε, δ), and what an
// attacker gains at most, is rounded up, and from 100 on to four digits behind the point, as
// everybody tells ε; all else is rounded to the nearest. Whole numbers stay as they are.
// PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_REPORT_FACTS_ROUNDED_NUMBERS_H_
#define TOPICWALL_CLIENT_REPORT_FACTS_ROUNDED_NUMBERS_H_

#include "google/protobuf/message.h"

namespace topicwall::client {

// Of the message and of all that are in it.
bool RoundNumbers(google::protobuf::Message& message);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_FACTS_ROUNDED_NUMBERS_H_
