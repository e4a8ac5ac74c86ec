// What was really linked, whatever the includes say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>

#include "tests/support/temporary_directory.h"

namespace topicwall::layering {
namespace {

std::string Program(const std::string& name) { return TOPICWALL_BINARY_DIR "/" + name; }

// What `command` says of the program; empty if it cannot read it.
std::string SaidBy(const std::string& command, const std::string& name) {
  std::FILE* const pipe = popen((command + " '" + Program(name) + "'").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string said;
  std::array<char, 65536> buffer;
  while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    said.append(buffer.data(), size);
  }
  return pclose(pipe) == 0 ? said : "";
}

// Its symbols, demangled, and the shared libraries that it asks for.
std::string SymbolsOf(const std::string& name) { return SaidBy("nm -C", name); }
std::string LibrariesOf(const std::string& name) { return SaidBy("readelf -d", name); }

// The first line of `text` with `part` in it, so that a failure shows one line of many.
std::string LineWith(const std::string& text, const std::string& part) {
  const size_t found = text.find(part);
  if (found == std::string::npos) return "";
  const size_t start = text.rfind('\n', found) + 1;
  return text.substr(start, text.find('\n', found) - start);
}

std::string BytesOf(const std::string& name) { return testing::ReadWholeFile(Program(name)); }

TEST(ClientProgram, HoldsNothingOfTheServer) {
  const std::string symbols = SymbolsOf("topicwall");
  // The names are there to be found.
  ASSERT_NE(LineWith(symbols, "topicwall::client::"), "");
  ASSERT_NE(LineWith(symbols, "topicwall::lda::"), "");
  for (const char* room : {"server", "random", "sealing", "store", "ledger", "corpus", "mechanism",
                           "executor", "release", "admin", "audit"}) {
    EXPECT_EQ(LineWith(symbols, "topicwall::" + std::string(room) + "::"), "");
  }
}

constexpr std::array kServerPrograms = {"topicwall-server", "topicwall-gate", "topicwall-vault",
                                        "topicwall-store"};

TEST(ServerPrograms, HoldNothingOfTheClient) {
  // The names are there to be found.
  ASSERT_NE(LineWith(SymbolsOf("topicwall-vault"), "topicwall::mechanism::"), "");
  for (const char* name : kServerPrograms) {
    const std::string symbols = SymbolsOf(name);
    ASSERT_NE(LineWith(symbols, "topicwall::supervisor::"), "") << name;
    EXPECT_EQ(LineWith(symbols, "topicwall::client::"), "") << name;
  }
}

// What is not in the program that has the network cannot be reached by whoever takes it over.
TEST(GateProgram, HoldsNothingThatIsBehindIt) {
  const std::string gate = SymbolsOf("topicwall-gate");
  const std::string vault = SymbolsOf("topicwall-vault");
  ASSERT_NE(LineWith(gate, "topicwall::server::WallServer::Start"), "");
  for (const char* behind :
       {"topicwall::corpus::", "topicwall::mechanism::", "topicwall::store::",
        "topicwall::sealing::", "topicwall::ledger::", "topicwall::executor::",
        "topicwall::random::", "topicwall::release::", "topicwall::lda::",
        "topicwall::completion::", "topicwall::model::", "topicwall::accountant::",
        "topicwall::server::Vault::", "topicwall::server::Wall::", "sqlite3_"}) {
    EXPECT_EQ(LineWith(gate, behind), "");
    EXPECT_NE(LineWith(vault, behind), "") << behind << " is there to be found";
  }
}

TEST(VaultProgram, NeedsNoLibraryThatTalks) {
  ASSERT_THAT(LibrariesOf("topicwall-gate"), ::testing::HasSubstr("[libgrpc++.so"));
  const std::string vault = LibrariesOf("topicwall-vault");
  ASSERT_THAT(vault, ::testing::HasSubstr("[libsqlite3.so"));
  for (const char* library : {"[libgrpc", "[libssl", "[libpq", "[libmpi"}) {
    EXPECT_EQ(LineWith(vault, library), "");
  }
  EXPECT_EQ(LineWith(SymbolsOf("topicwall-vault"), "grpc::"), "");
}

// What speaks with the database of a shared ledger has nothing to tell it, and is the only one.
TEST(StoreProgram, HasNeitherKeyNorDocumentsNorLedger) {
  ASSERT_THAT(LibrariesOf("topicwall-store"), ::testing::HasSubstr("[libpq.so"));
  const std::string store = SymbolsOf("topicwall-store");
  for (const char* behind :
       {"topicwall::corpus::", "topicwall::mechanism::", "topicwall::sealing::",
        "topicwall::ledger::", "topicwall::random::", "topicwall::accountant::", "grpc::"}) {
    EXPECT_EQ(LineWith(store, behind), "");
  }
  for (const char* name : {"topicwall-server", "topicwall-gate", "topicwall-vault",
                           "topicwall-admin", "topicwall-audit"}) {
    EXPECT_EQ(LineWith(LibrariesOf(name), "[libpq"), "") << name;
  }
}

// It is the one that may run as root.
TEST(SupervisorProgram, HasNeitherNetworkNorStoreNorKey) {
  const std::string libraries = LibrariesOf("topicwall-server");
  ASSERT_THAT(libraries, ::testing::HasSubstr("[libc.so"));
  for (const char* library : {"[libgrpc", "[libssl", "[libcrypto", "[libsqlite3"}) {
    EXPECT_EQ(LineWith(libraries, library), "");
  }
  const std::string symbols = SymbolsOf("topicwall-server");
  ASSERT_NE(LineWith(symbols, "topicwall::supervisor::Supervisor::"), "");
  for (const char* part : {"topicwall::acts::", "topicwall::sealing::", "topicwall::random::",
                           "topicwall::store::", "topicwall::corpus::", "topicwall::ledger::",
                           "topicwall::mechanism::", "sqlite3_", "EVP_", "grpc::"}) {
    EXPECT_EQ(LineWith(symbols, part), "");
  }
}

// What reads a sum before its noise is there for audits, and not beside anybody's documents.
TEST(ServerPrograms, HoldNothingOfTheAudit) {
  for (const char* name :
       {"topicwall-server", "topicwall-gate", "topicwall-vault", "topicwall-admin"}) {
    EXPECT_EQ(LineWith(SymbolsOf(name), "topicwall::audit::"), "") << name;
  }
  EXPECT_NE(LineWith(SymbolsOf("topicwall-audit"), "topicwall::audit::GridReading"), "");
}

// A sum leaves its process as bytes where a job sums, and the vault reads those. Only who sums, and
// the audit, can write one down.
TEST(ServerPrograms, CannotWriteASumDown) {
  for (const char* name : {"topicwall-vault", "topicwall-admin"}) {
    const std::string symbols = SymbolsOf(name);
    EXPECT_EQ(LineWith(symbols, "topicwall::mechanism::PartialSum::Serialise"), "") << name;
    EXPECT_EQ(LineWith(symbols, "topicwall::mechanism::ReleaseCoins::Parse"), "") << name;
  }
  // The names are there to be found.
  EXPECT_NE(LineWith(SymbolsOf("topicwall-vault"), "topicwall::mechanism::PartialSum::Create"), "");
  EXPECT_NE(LineWith(SymbolsOf("topicwall-audit"), "topicwall::mechanism::PartialSum::Serialise"),
            "");
}

#ifdef TOPICWALL_WITH_WORKER
// A rank sums, and has neither what is added to sums nor what they are charged to.
TEST(WorkerProgram, HasNeitherNoiseNorLedgerNorNetworkOfStrangers) {
  const std::string symbols = SymbolsOf("topicwall-worker");
  EXPECT_NE(LineWith(symbols, "topicwall::mechanism::PartialSum::Serialise"), "");
  for (const char* part : {"topicwall::mechanism::AddNoise", "topicwall::mechanism::NoiseKey",
                           "topicwall::ledger::FoldedLedger",
                           "topicwall::store::", "topicwall::accountant::", "grpc::"}) {
    EXPECT_EQ(LineWith(symbols, part), "");
  }
}

TEST(WorkerProgram, HasNoKillPoints) {
  const std::string bytes = BytesOf("topicwall-worker");
  ASSERT_EQ(bytes.substr(0, 4), "\177ELF");
  EXPECT_EQ(bytes.find("TOPICWALL_KILL_AT"), std::string::npos);
}
#endif

TEST(ServerPrograms, HaveNoKillPoints) {
  for (const char* name : {"topicwall-server", "topicwall-gate", "topicwall-vault",
                           "topicwall-store", "topicwall-admin", "topicwall-audit"}) {
    const std::string bytes = BytesOf(name);
    ASSERT_EQ(bytes.substr(0, 4), "\177ELF") << name;
    EXPECT_EQ(bytes.find("TOPICWALL_KILL_AT"), std::string::npos) << name;
  }
}

// The variable that mutants are chosen by is in every program that has some: mutants_test looks.
TEST(EveryProgram, HasNoMutants) {
  for (const char* name : {"topicwall", "topicwall-server", "topicwall-gate", "topicwall-vault",
                           "topicwall-admin", "topicwall-audit", "topicwall-accountant"}) {
    const std::string bytes = BytesOf(name);
    ASSERT_EQ(bytes.substr(0, 4), "\177ELF") << name;
    EXPECT_EQ(bytes.find("TOPICWALL_MUTANT"), std::string::npos) << name;
  }
}

TEST(AccountantProgram, HoldsNothingThatTalksOrStores) {
  const std::string symbols = SymbolsOf("topicwall-accountant");
  ASSERT_NE(LineWith(symbols, "topicwall::accountant::"), "");
  for (const char* library : {"grpc::", "google::protobuf::", "sqlite3_", "EVP_"}) {
    EXPECT_EQ(LineWith(symbols, library), "");
  }
}

// A function that is no template of a kernel's own Simd struct may be there several times, and the
// linker keeps one copy for every processor: it must not be one that needs AVX.
TEST(KernelObjects, DefineNothingThatOlderProcessorsCouldBeGiven) {
  const std::string symbols = SymbolsOf("../model/lda/libtopicwall_lda.a");
  ASSERT_THAT(symbols, ::testing::HasSubstr("topicwall::lda::"));
  std::istringstream lines(symbols);
  std::string line;
  bool newer = false;
  int shared = 0;
  while (std::getline(lines, line)) {
    if (line.find(".o:") != std::string::npos) newer = line.find("avx") != std::string::npos;
    if (!newer || line.find(" W ") == std::string::npos) continue;
    EXPECT_THAT(line, ::testing::HasSubstr("SimdAvx"));
    ++shared;
  }
#ifdef __x86_64__
  EXPECT_GT(shared, 0) << "the objects were not looked at";
#endif
}

}  // namespace
}  // namespace topicwall::layering
