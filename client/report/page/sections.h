// The parts of a report's page, in the order of the page. Each writes what `report` says and no
// more; one of which the report says nothing writes nothing. PUBLIC. Pure.
#ifndef TOPICWALL_CLIENT_REPORT_PAGE_SECTIONS_H_
#define TOPICWALL_CLIENT_REPORT_PAGE_SECTIONS_H_

#include <string>
#include <vector>

#include "client/report/text/html.h"
#include "proto/report.pb.h"

namespace topicwall::client {

// What was fitted, what is promised in one sentence, how much of it to believe.
void AddHead(const v1::Report& report, Html& html);
// Discs: place = likeness, area = share, strength of colour = whether it would come again.
void AddMap(const v1::Report& report, Html& html);
// Of a mixture of Gaussians a row for each component, instead of cards and words.
void AddComponents(const v1::Report& report, Html& html);
// A card for each topic.
void AddTopicCards(const v1::Report& report, Html& html);
// All words that stand on cards, to be searched, and the commonest of the corpus.
void AddWords(const v1::Report& report, Html& html);
// Grades and how far they held elsewhere, signal and noise, perplexities behind the wall.
bool HasQuality(const v1::Report& report);
void AddQuality(const v1::Report& report, Html& html);
void AddPrevalences(const v1::Report& report, Html& html);
void AddComparison(const v1::Report& report, Html& html);
// What a committee wants to know and sign, on one sheet of A4.
void AddPrivacySheet(const v1::Report& report, Html& html);
// How to make it again, how to check it, where each number is from.
void AddMethod(const v1::Report& report, Html& html);

// What they share.

// "group groups show": its three most relevant words; of a component without a name its number.
std::string LabelOf(const v1::ReportedTopic& topic);
// "7.1 %", or that it is not known.
std::string ShareText(const v1::ReportedTopic& topic);
// Heaviest first.
std::vector<const v1::ReportedTopic*> ByShare(const v1::Report& report);
// "releases 1–25 of plan 02133f5a".
std::string ReleasesText(int releases, const std::string& plan_id);
// What may be wider than a small screen scrolls by itself, by the keyboard too. To be closed.
void OpenWide(const std::string& what, Html& html);
// The line below a heading that says of which releases all that follows is made.
void AddSource(const std::string& source, Html& html);
// Of which releases topics and words are; "" of a model without a wall.
std::string SourceOfTopics(const v1::ReportedModel& model);
// The file of a model's folder that it was read from.
std::string FileOf(bool is_checkpoint);
// The groups of a prevalence, and the corpus that was asked.
void AddHeadingOf(const v1::ReportedPrevalence& prevalence, Html& html);
// Whether any of it is of a mock (client/mock/mock_wall.h): then it says nothing of anybody, and
// says that first.
bool IsOfAMock(const v1::Report& report);
// Whether a wall was asked anything about the model: of documents of one's own, nothing else is
// promised.
bool HasAnswers(const v1::Report& report);
// "topics" or "components".
std::string TopicsOf(const v1::ReportedModel& model);
// "50 topics of notes".
std::string TitleOf(const v1::Report& report);
// The sentence of the guarantee: of the sum where the budget does not stand alone.
std::string GuaranteeSentence(const v1::Report& report);
// "ε 2.4400, δ 10⁻⁶"; "no promise" of δ from 1 on.
std::string PromiseText(double epsilon, double delta);
// Whether what was spent is known of everybody, and not of the plans that were seen alone; ε of the
// budget that it is, or is at least.
bool KnowsAllSpent(const v1::ReportedLedger& ledger);
double SpentOf(const v1::ReportedLedger& ledger);
// A colour between grey (0) and the accent (1), and black or white, which can be read on it.
std::string FillOf(double strength);
std::string InkOn(double strength);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_PAGE_SECTIONS_H_
