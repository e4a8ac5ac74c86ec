// What was really linked, whatever the includes say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace topicwall::layering {
namespace {

std::string Program(const std::string& name) { return TOPICWALL_BINARY_DIR "/" + name; }

// The program's symbols, demangled; empty if nm cannot read it.
std::string SymbolsOf(const std::string& name) {
  std::FILE* const pipe = popen(("nm -C '" + Program(name) + "'").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string symbols;
  std::array<char, 65536> buffer;
  while (const size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    symbols.append(buffer.data(), size);
  }
  return pclose(pipe) == 0 ? symbols : "";
}

// The first line of `text` with `part` in it, so that a failure shows one line of many.
std::string LineWith(const std::string& text, const std::string& part) {
  const size_t found = text.find(part);
  if (found == std::string::npos) return "";
  const size_t start = text.rfind('\n', found) + 1;
  return text.substr(start, text.find('\n', found) - start);
}

std::string BytesOf(const std::string& name) {
  std::ifstream file(Program(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

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

TEST(ServerProgram, HoldsNothingOfTheClient) {
  const std::string symbols = SymbolsOf("topicwall-server");
  ASSERT_NE(LineWith(symbols, "topicwall::mechanism::"), "");
  EXPECT_EQ(LineWith(symbols, "topicwall::client::"), "");
}

// What reads a sum before its noise is there for audits, and not beside anybody's documents.
TEST(ServerProgram, HoldsNothingOfTheAudit) {
  for (const char* name : {"topicwall-server", "topicwall-admin"}) {
    EXPECT_EQ(LineWith(SymbolsOf(name), "topicwall::audit::"), "") << name;
  }
  EXPECT_NE(LineWith(SymbolsOf("topicwall-audit"), "topicwall::audit::LatticeReading"), "");
}

// A sum leaves its process as bytes, and this one is the only process: only the audit has the code.
TEST(ServerProgram, CannotWriteASumDown) {
  for (const char* name : {"topicwall-server", "topicwall-admin"}) {
    const std::string symbols = SymbolsOf(name);
    EXPECT_EQ(LineWith(symbols, "topicwall::mechanism::PartialSum::Serialise"), "") << name;
    EXPECT_EQ(LineWith(symbols, "topicwall::mechanism::PartialSum::Parse"), "") << name;
  }
  // The names are there to be found.
  EXPECT_NE(LineWith(SymbolsOf("topicwall-server"), "topicwall::mechanism::PartialSum::Create"),
            "");
  EXPECT_NE(LineWith(SymbolsOf("topicwall-audit"), "topicwall::mechanism::PartialSum::Serialise"),
            "");
}

TEST(ServerProgram, HasNoKillPoints) {
  for (const char* name : {"topicwall-server", "topicwall-admin", "topicwall-audit"}) {
    const std::string bytes = BytesOf(name);
    ASSERT_EQ(bytes.substr(0, 4), "\177ELF") << name;
    EXPECT_EQ(bytes.find("TOPICWALL_KILL_AT"), std::string::npos) << name;
  }
}

// The variable that mutants are chosen by is in every program that has some: mutants_test looks.
TEST(EveryProgram, HasNoMutants) {
  for (const char* name : {"topicwall", "topicwall-server", "topicwall-admin", "topicwall-audit",
                           "topicwall-accountant"}) {
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
  ASSERT_THAT(symbols, ::testing::HasSubstr("kernel_portable"));
  std::istringstream lines(symbols);
  std::string line;
  bool newer = false;
  int shared = 0;
  while (std::getline(lines, line)) {
    if (line.find(".cc.o:") != std::string::npos) newer = line.find("avx") != std::string::npos;
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
