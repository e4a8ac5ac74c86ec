// What can be asked of a wall for nothing. Answers are JSON texts, the same that the commands print
// with --json, which Python makes tables of.
#include <string>
#include <vector>

#include "accountant/ledger/price_record.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/ledger_export.h"
#include "client/audit/receipt_audit.h"
#include "client/audit/wall_audit.h"
#include "client/commands/audit/known_corpora.h"
#include "client/commands/audit/noted_prices.h"
#include "client/commands/json/told_json.h"
#include "client/fit/corpus_vocabulary.h"
#include "client/json.h"
#include "client/python/bindings.h"
#include "client/python/connection.h"
#include "client/python/errors.h"
#include "client/wall/admission.h"
#include "client/wall/profile.h"
#include "client/wall/receipt_book.h"
#include "client/wall/topics_asked.h"
#include "proto/told_numbers.h"

namespace py = pybind11;

namespace topicwall::client {
namespace {

// Profiles may be written before the server runs: what stands in the way of a connection is told,
// and the profile kept.
absl::StatusOr<std::string> Login(const v1::Profile& asked, const std::string& name) {
  TW_ASSIGN_OR_RETURN(const std::string path, ProfilePath(name));
  // Before anything is written: what is no key must not stand in a profile.
  TW_RETURN_IF_ERROR(SigningKeyOfHex(asked.custodian_key()).status());
  TW_ASSIGN_OR_RETURN(const v1::Profile written, WriteProfile(path, asked));
  TW_RETURN_IF_ERROR(EnterGrpc());
  TW_ASSIGN_OR_RETURN(const Credentials credentials, LoadCredentials(written));
  TW_RETURN_IF_ERROR(CheckAdmission(written.server(), credentials));
  return path;
}

absl::StatusOr<std::string> DescriptionOf(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(corpus));
  return JsonOf(description);
}

absl::StatusOr<std::string> CorporaOf(Connection& connection,
                                      const std::vector<std::string>& named) {
  TW_ASSIGN_OR_RETURN(const v1::HeadBook notes, connection.Notes());
  TW_ASSIGN_OR_RETURN(const std::vector<KnownCorpus> corpora, connection.Ask([&](WallPort& wall) {
    return KnownCorpora(wall, notes, named);
  }));
  return CorporaJson(corpora);
}

absl::StatusOr<std::string> BudgetOf(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(v1::BudgetStatus budget, wall.GetBudget(corpus));
  budget.set_corpus(corpus);
  TW_ASSIGN_OR_RETURN(const Takings takings, TakingsOf(wall, budget));
  return BudgetJson(budget, takings).Text();
}

absl::StatusOr<std::vector<std::string>> TermsOf(WallPort& wall, const std::string& corpus) {
  TW_ASSIGN_OR_RETURN(const v1::CorpusDescription description, wall.DescribeCorpus(corpus));
  TW_ASSIGN_OR_RETURN(const lda::Vocabulary vocabulary, FetchVocabulary(wall, description));
  return vocabulary.terms();
}

base::JsonObject PlanJson(const AuditedPlan& plan) {
  const v1::ReleaseSpec& spec = plan.terms.spec();
  return base::JsonObject()
      .SetString("plan_id", plan.terms.plan_id())
      .SetString("principal", plan.principal)
      .SetString("model", spec.model())
      .SetInteger("topics", NumTopics(spec))
      .SetInteger("releases", spec.iterations())
      .SetInteger("charged", plan.charged)
      .SetInteger("returned", plan.returned)
      .SetBool("cancelled", plan.cancelled)
      .SetNumber("sigma", spec.gaussian().noise_multiplier())
      .SetNumber("epsilon_alone", plan.epsilon_upper_bound);
}

// What `topicwall ledger --events` keeps; how many entries are in the file then.
absl::StatusOr<int64_t> ExportOf(Connection& connection, const std::string& corpus,
                                 const std::string& path) {
  TW_ASSIGN_OR_RETURN(const WallAudit found, connection.Ask([&corpus](WallPort& wall) {
    return AuditWall(wall, corpus);
  }));
  TW_RETURN_IF_ERROR(ExtendExport(path, corpus, found.entries));
  return found.audit.entries;
}

// `model`: a folder, whose receipts are held against the chain as well; empty: none.
absl::StatusOr<std::string> AuditOf(Connection& connection, const std::string& corpus,
                                    const std::string& model) {
  TW_ASSIGN_OR_RETURN(const WallAudit found, connection.Ask([&corpus](WallPort& wall) {
    return AuditWall(wall, corpus);
  }));
  std::vector<std::string> findings = found.audit.findings;
  std::vector<base::JsonObject> plans;
  for (const AuditedPlan& plan : found.audit.plans) plans.push_back(PlanJson(plan));
  base::JsonObject json;
  json.SetInteger("entries", found.audit.entries)
      .SetInteger("unseen_entries", found.audit.unseen_entries)
      .SetString("head", base::Hex(found.audit.head))
      .SetNumber("spent", found.audit.epsilon_upper_bound)
      .SetNumber("total", found.audit.budget.epsilon)
      .SetNumber("delta", found.audit.budget.delta)
      .SetRaw("sum", SumJson(found.audit.sum))
      .SetObjects("plans", plans);
  // Receipts are worth comparing only with a ledger that holds in itself.
  if (!model.empty() && findings.empty()) {
    TW_ASSIGN_OR_RETURN(const std::string key, connection.PinnedKey());
    TW_ASSIGN_OR_RETURN(const v1::ReceiptFile file, ReadReceipts(ReceiptsPath(model)));
    TW_ASSIGN_OR_RETURN(
        const ReceiptAudit receipts,
        AuditReceipts(file, {.signing_key = key, .chain = absl::MakeConstSpan(found.entries)}));
    std::vector<std::string> elsewhere;
    for (const ReceiptsElsewhere& other : receipts.elsewhere) {
      elsewhere.push_back(DescribeElsewhere(other));
    }
    json.SetInteger("receipts", receipts.receipts)
        .SetBool("is_all_elsewhere", receipts.is_all_elsewhere)
        .SetStrings("elsewhere", elsewhere);
    findings = receipts.findings;
    TW_ASSIGN_OR_RETURN(const std::vector<std::string> prices, PriceFindings(model, found.entries));
    findings.insert(findings.end(), prices.begin(), prices.end());
  }
  return json.SetStrings("findings", findings).Text();
}

std::string LoginOrThrow(const std::string& server, const std::string& ca,
                         const std::string& certificate, const std::string& key,
                         const std::string& profile, const std::string& custodian_key) {
  v1::Profile asked;
  asked.set_server(server);
  asked.set_ca_file(ca);
  asked.set_certificate_file(certificate);
  asked.set_private_key_file(key);
  asked.set_custodian_key(custodian_key);
  return ValueOrThrow(Unlocked([&] { return Login(asked, profile); }));
}

// A function that asks nothing of Python, without the interpreter's lock.
template <typename Answer, typename... Args>
auto Answering(absl::StatusOr<Answer> (*function)(Args...)) {
  return [function](Args... args) {
    return ValueOrThrow(Unlocked([&] { return function(args...); }));
  };
}

// A method that asks one question about a corpus.
template <typename Answer>
auto Asking(absl::StatusOr<Answer> (*question)(WallPort& wall, const std::string& corpus)) {
  return [question](Connection& connection, const std::string& corpus) {
    return ValueOrThrow(Unlocked(
        [&] { return connection.Ask([&](WallPort& wall) { return question(wall, corpus); }); }));
  };
}

}  // namespace

void BindWall(py::module_& module) {
  module.def("epsilon_text", &proto::EpsilonText, py::arg("epsilon"));
  module.def("taken_text", &proto::TakenText, py::arg("before"), py::arg("after"));
  module.def("taken_of_left_text", &proto::TakenOfLeftText, py::arg("total"), py::arg("before"),
             py::arg("after"));
  module.def("left_text", py::overload_cast<double, double>(&proto::LeftText), py::arg("total"),
             py::arg("spent"));
  module.def("own_left_text", py::overload_cast<double>(&proto::LeftText), py::arg("left"));
  module.def(
      "promise_text",
      [](double epsilon, double delta) {
        return accountant::ledger::PromiseText({.epsilon = epsilon, .delta = delta});
      },
      py::arg("epsilon"), py::arg("delta"));
  module.def("delta_text", &proto::DeltaText, py::arg("delta"));
  module.def("login", &LoginOrThrow, py::arg("server"), py::arg("ca"), py::arg("certificate"),
             py::arg("key"), py::arg("profile"), py::arg("custodian_key"));
  py::class_<Connection, std::shared_ptr<Connection>>(module, "Connection",
                                                      "A profile's connection to its wall.")
      .def(py::init(Answering(&Connection::Open)), py::arg("profile"))
      .def_property_readonly("profile", &Connection::profile)
      .def_property_readonly("is_mock", &Connection::is_mock)
      .def("mock", Answering(&Connection::ToMockOf), py::arg("corpus"))
      .def("corpora", Answering(&CorporaOf), py::arg("named"))
      .def("description", Asking(&DescriptionOf), py::arg("corpus"))
      .def("budget", Asking(&BudgetOf), py::arg("corpus"))
      .def("vocabulary", Asking(&TermsOf), py::arg("corpus"))
      .def("audit", Answering(&AuditOf), py::arg("corpus"), py::arg("model"))
      .def("export_ledger", Answering(&ExportOf), py::arg("corpus"), py::arg("path"));
}

}  // namespace topicwall::client
