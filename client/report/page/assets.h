// The style sheet and the script of a report, as they stand in client/report/assets/. The build
// makes a source of them.
#ifndef TOPICWALL_CLIENT_REPORT_PAGE_ASSETS_H_
#define TOPICWALL_CLIENT_REPORT_PAGE_ASSETS_H_

namespace topicwall::client {

extern const char kReportStyle[];
extern const char kReportScript[];

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_REPORT_PAGE_ASSETS_H_
