// Rows of tests/golden/accounting_*.csv, whose first lines say how they were computed.
#ifndef TOPICWALL_TESTS_ACCOUNTANT_GOLDEN_TABLE_H_
#define TOPICWALL_TESTS_ACCOUNTANT_GOLDEN_TABLE_H_

#include <cstdint>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "accountant/events/dp_event.h"
#include "tests/accountant/releases.h"

namespace topicwall::accountant {

struct GoldenRow {
  double sigma;
  double nu;
  int64_t steps;
  double delta;
  std::string accountant;
  double epsilon;

  DpEvent Event() const { return accountant::Event(nu, sigma, steps); }
};

inline std::ostream& operator<<(std::ostream& out, const GoldenRow& row) {
  return out << row.accountant << ": sigma " << row.sigma << " nu " << row.nu << " steps "
             << row.steps << " delta " << row.delta;
}

// The rows of one file whose accountant has this name; all rows for an empty name.
inline std::vector<GoldenRow> GoldenRows(const std::string& file, const std::string& accountant) {
  std::vector<GoldenRow> rows;
  std::ifstream in(std::string(TOPICWALL_GOLDEN_DIR) + "/" + file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line.rfind("sigma,", 0) == 0) continue;
    std::istringstream cells(line);
    std::vector<std::string> cell(6);
    for (std::string& text : cell) std::getline(cells, text, ',');
    const GoldenRow row = {.sigma = std::stod(cell[0]),
                           .nu = std::stod(cell[1]),
                           .steps = std::stoll(cell[2]),
                           .delta = std::stod(cell[3]),
                           .accountant = cell[4],
                           .epsilon = std::stod(cell[5])};
    if (accountant.empty() || accountant == row.accountant) rows.push_back(row);
  }
  return rows;
}

}  // namespace topicwall::accountant

#endif  // TOPICWALL_TESTS_ACCOUNTANT_GOLDEN_TABLE_H_
