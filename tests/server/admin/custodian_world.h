// A custodian's desk for one test: a key, a configuration with the corpora "notes", "letters"
// and "cards", an empty data directory, and documents to put into it.
//
//   CustodianWorld world;
//   ASSERT_OK(world.IngestAndOpen("notes", {"ann", "bob"}));
//   Finished finished = world.Run("status --config wall.textproto --json");
//
// Everything lies in a folder of its own that goes with the object.
#ifndef TOPICWALL_TESTS_SERVER_ADMIN_CUSTODIAN_WORLD_H_
#define TOPICWALL_TESTS_SERVER_ADMIN_CUSTODIAN_WORLD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/admin/commands/command_ingest.h"
#include "server/admin/custody.h"
#include "server/admin/outcome.h"
#include "server/ledger/folded/folded_ledger.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::admin {

struct Finished {
  int exit_code;
  std::string output;
  std::string errors;
};

class CustodianWorld {
 public:
  CustodianWorld();

  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string config() const { return Path("wall.textproto"); }
  std::string CorpusPath(const std::string& corpus) const {
    return Path("data/" + corpus + ".corpus");
  }
  void Write(const std::string& name, const std::string& text) const;
  std::string Read(const std::string& name) const;
  bool Exists(const std::string& name) const;
  int Mode(const std::string& name) const;  // the permission bits

  // Writes certificates, as check-config wants them.
  void MakeCertificates(const std::string& options = "") const;

  // topicwall-admin itself, in the folder of this world. `arguments` is a piece of shell.
  Finished Run(const std::string& arguments) const;

  // One document to each owner; its id is "COPY/OWNER", so that other copies of the same
  // owners are other documents.
  std::string WriteDocuments(const std::vector<std::string>& owners, const std::string& copy) const;
  IngestFlags FlagsFor(const std::string& corpus, const std::string& documents) const;
  // Privacy unit: owner.
  absl::StatusOr<Outcome> Ingest(const std::string& corpus,
                                 const std::vector<std::string>& owners) const;
  // Changes one bit of a sealed block: SQLite writes a page's last cell at its end.
  void DamageLastBlock(const std::string& corpus) const;
  // ε = 2.44, δ = 1e-6.
  absl::StatusOr<Outcome> Open(const std::string& corpus) const;
  absl::Status IngestAndOpen(const std::string& corpus,
                             const std::vector<std::string>& owners) const;

  // The ledger as the server has it: locked until the pointer goes.
  std::unique_ptr<ledger::FoldedLedger> Ledger() const;
  absl::StatusOr<ledger::CorpusStatus> StatusOfCorpus(const std::string& corpus) const;
  // Alice reserves `iterations` on the corpus and one of them is charged; the plan's id.
  std::string ReserveAndChargeOne(const std::string& corpus, int iterations) const;

 private:
  testing::TemporaryDirectory folder_;
};

}  // namespace topicwall::admin

#endif  // TOPICWALL_TESTS_SERVER_ADMIN_CUSTODIAN_WORLD_H_
