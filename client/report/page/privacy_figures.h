// The pictures of the privacy sheet. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_REPORT_PAGE_PRIVACY_FIGURES_H_
#define TOPICWALL_CLIENT_REPORT_PAGE_PRIVACY_FIGURES_H_

#include "client/report/text/html.h"
#include "proto/report.pb.h"

namespace topicwall::client {

// What was spent, a step for each plan from `first` on, and the line that it cannot cross. A step
// is what a plan took when it was reserved; what came back later lowers the next.
void AddStepsFigure(const v1::ReportedLedger& ledger, int first, Html& html);

// Of 100 people of whom a coin was tossed whether they are in the corpus: of how many an attacker
// guesses it right.
void AddGuessFigure(const v1::AttackBounds& attack, Html& html);

// Of 100 people who are in it: how many are found by an attacker who accuses one in a hundred of
// those who are not.
void AddFoundFigure(const v1::AttackBounds& attack, Html& html);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_PAGE_PRIVACY_FIGURES_H_
