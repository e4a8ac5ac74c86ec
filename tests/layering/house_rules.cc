#include "tests/layering/house_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::layering {
namespace {

using Prefixes = std::vector<absl::string_view>;

struct Room {
  absl::string_view folder;
  Prefixes rooms;  // what it may include of ours beside itself: folders or single headers
  Prefixes libraries = {"absl/"};  // what it may include of others'
  Prefixes forbidden = {};         // and never, even of the system or of the libraries above
};

// What a model's options say is the model's business, and whoever asks for it.
constexpr absl::string_view kModelOptions = "proto/models/";

// Messages are not the service: a room with the former need not see gRPC.
constexpr absl::string_view kServiceHeaders = "proto/wall.grpc.pb.h";
constexpr absl::string_view kStatusOfGrpc = "proto/grpc_status";

const Prefixes& FilesAndClocks() {
  static const auto* const headers =
      new Prefixes{"<fstream>", "<filesystem>", "<iostream>", "<cstdio>", "<chrono>",
                   "<ctime>",   "<unistd.h>",   "<fcntl.h>",  "<sys/"};
  return *headers;
}

Prefixes And(Prefixes some, const Prefixes& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

// Pure arithmetic: no files, no threads, no clock.
const Prefixes& NotPure() {
  static const auto* const headers = new Prefixes(
      And(FilesAndClocks(), {"<thread>", "<mutex>", "<future>", "<atomic>", "<condition_variable>",
                             "<random>", "absl/time/", "absl/synchronization/"}));
  return *headers;
}

// What a release is may depend on nothing but its inputs.
const Prefixes& AllButInputs() {
  static const auto* const headers =
      new Prefixes{"<fstream>", "<filesystem>", "<iostream>", "<cstdio>",    "<chrono>",
                   "<ctime>",   "<random>",     "absl/time/", "absl/random/"};
  return *headers;
}

const std::vector<Room>& Rooms() {
  // Randomness has one seam: <random> is no generator for a wall, nor rand().
  static const auto* const rooms = new std::vector<Room>{
      {.folder = "base/",
       .rooms = {},
       .libraries = {"absl/", "openssl/"},
       .forbidden = {"<random>"}},
      // CLI11 is seen by one source: it takes seconds to compile.
      {.folder = "base/command_line.cc", .rooms = {"base/"}, .libraries = {"absl/", "CLI/"}},
      {.folder = "base/json.cc",
       .rooms = {"base/"},
       .libraries = {"absl/", "nlohmann/"},
       .forbidden = {"<random>"}},
      {.folder = "accountant/events/",
       .rooms = {"base/status_macros.h"},
       .libraries = Prefixes{"absl/", "Eigen/", "unsupported/Eigen/"},
       .forbidden = NotPure()},
      {.folder = "accountant/accountants/",
       .rooms = {"base/status_macros.h", "accountant/events/"},
       .libraries = Prefixes{"absl/", "Eigen/", "unsupported/Eigen/"},
       .forbidden = NotPure()},
      {.folder = "accountant/pld/",
       .rooms = {"base/status_macros.h", "accountant/events/", "accountant/accountants/"},
       .libraries = Prefixes{"absl/", "Eigen/", "unsupported/Eigen/"},
       .forbidden = NotPure()},
      {.folder = "accountant/filters/",
       .rooms = {"base/status_macros.h", "accountant/events/", "accountant/accountants/",
                 "accountant/pld/"},
       .libraries = Prefixes{"absl/", "Eigen/", "unsupported/Eigen/"},
       .forbidden = NotPure()},
      {.folder = "accountant/",
       .rooms = {"base/status_macros.h", "accountant/events/", "accountant/accountants/",
                 "accountant/pld/"},
       .libraries = Prefixes{"absl/", "Eigen/", "unsupported/Eigen/"},
       .forbidden = NotPure()},
      {.folder = "accountant/commands/",
       .rooms = {"base/", "accountant/"},
       .forbidden = {"<random>", "<thread>"}},
      // The ledger's state is a fold of its events: nothing but them and the arithmetic goes in.
      {.folder = "accountant/ledger/",
       .rooms = {"base/", "accountant/", "proto/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = And(NotPure(), {"accountant/commands/", kModelOptions, kServiceHeaders,
                                    kStatusOfGrpc, "absl/random/"})},
      {.folder = "accountant/main.cc", .rooms = {"base/", "accountant/"}},
      // What a model is to the server, whichever it is …
      {.folder = "model/", .rooms = {"base/", "model/data/"}, .forbidden = FilesAndClocks()},
      // … and the one source that knows them all.
      {.folder = "model/models.cc", .rooms = {"base/", "model/"}, .forbidden = FilesAndClocks()},
      {.folder = "model/data/", .rooms = {"base/"}, .forbidden = FilesAndClocks()},
      {.folder = "model/lda/math/", .rooms = {}, .forbidden = FilesAndClocks()},
      {.folder = "model/lda/kernel/",
       .rooms = {"base/", "model/lda/math/"},
       .forbidden = FilesAndClocks()},
      {.folder = "model/lda/topics/",
       .rooms = {"base/", "model/sparse_statistic.h", "model/data/", "model/lda/math/",
                 "model/lda/kernel/"},
       .libraries = {"absl/", "Eigen/"},
       .forbidden = FilesAndClocks()},
      // What is made of releases: the kernel, which only the wall runs on documents, is not seen.
      {.folder = "model/lda/denoise/",
       .rooms = {"base/", "model/data/", "model/lda/math/", "model/lda/topics/"},
       .libraries = {"absl/", "Eigen/"},
       .forbidden = FilesAndClocks()},
      // What a finished fit says, and how far to believe it.
      {.folder = "model/lda/reading/",
       .rooms = {"base/", "model/data/", "model/lda/math/", "model/lda/topics/",
                 "model/lda/denoise/"},
       .libraries = {"absl/", "Eigen/"},
       .forbidden = FilesAndClocks()},
      {.folder = "model/lda/",
       .rooms = {"base/", "proto/models/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "model/unit_bits.h", "model/worst_case.h", "model/data/", "model/lda/math/",
                 "model/lda/kernel/", "model/lda/topics/"},
       .forbidden = FilesAndClocks()},
      // The one model that judges others' parameters.
      {.folder = "model/completion/",
       .rooms = {"base/", "proto/models/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "model/unit_bits.h", "model/data/", "model/lda/kernel/e_step_kernel.h",
                 "model/lda/math/", "model/lda/topics/", "model/lda/topic_options.h",
                 "model/mixture/"},
       .forbidden = FilesAndClocks()},
      // Its topics are any that LDA's E-step or a mixture's takes.
      {.folder = "model/prevalence/",
       .rooms = {"base/", "proto/models/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "model/unit_bits.h", "model/worst_case.h", "model/data/",
                 "model/lda/kernel/e_step_kernel.h", "model/lda/math/", "model/lda/topics/",
                 "model/lda/topic_options.h", "model/lda/worst_topics.h", "model/mixture/"},
       .forbidden = FilesAndClocks()},
      // What it counts no arithmetic rounds: of the kernels it needs the chosen one's name.
      {.folder = "model/lengths/",
       .rooms = {"base/", "proto/models/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "model/unit_bits.h", "model/worst_case.h", "model/data/", "model/lda/math/",
                 "model/lda/kernel/e_step_kernel.h"},
       .forbidden = FilesAndClocks()},
      // Of LDA it shares how arithmetic is chosen, and how documents become a unit.
      {.folder = "model/mixture/",
       .rooms = {"base/", "proto/models/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "model/unit_bits.h", "model/worst_case.h", "model/data/", "model/lda/math/",
                 "model/lda/kernel/", "model/lda/topics/"},
       .forbidden = FilesAndClocks()},
      // Its responsibilities are those of the other mixture, of other numbers.
      {.folder = "model/gaussian/",
       .rooms = {"base/", "proto/models/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "model/unit_bits.h", "model/worst_case.h", "model/data/", "model/lda/math/",
                 "model/lda/kernel/", "model/lda/topics/", "model/mixture/"},
       .forbidden = FilesAndClocks()},
      {.folder = "proto/models/", .rooms = {}, .libraries = {"absl/", "google/protobuf/"}},
      {.folder = "proto/",
       .rooms = {"base/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, "<fstream>", "<iostream>", "<random>"}},
      {.folder = "proto/grpc_status",
       .rooms = {"base/", "proto/"},
       .libraries = {"absl/", "google/protobuf/", "grpc/", "grpcpp/"}},
      // What all rooms of the server see beside themselves: the configuration.
      {.folder = "server/",
       .rooms = {"base/", "proto/", "accountant/ledger/plan_admission.h"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, "<iostream>", "<random>"}},
      {.folder = "server/main.cc",
       .rooms = {"base/", "server/local_doors.h", "server/log/", "server/processes.h",
                 "server/supervisor/supervisor.h", "server/wall_config.h"}},
      // Starts the other processes, and understands two words of theirs.
      {.folder = "server/supervisor/", .rooms = {"base/"}, .forbidden = {"<iostream>", "<random>"}},
      {.folder = "server/gate/main.cc",
       .rooms = {"base/", "server/acts/act_client.h", "server/gate/", "server/log/",
                 "server/processes.h", "server/sandbox/", "server/supervisor/control_line.h",
                 "server/wall_config.h"}},
      {.folder = "server/vault/main.cc",
       .rooms = {"base/", "model/kernel_option.h", "server/"},
       .forbidden = {"server/admin/", "server/audit/", "server/gate/"}},
      // Who may ask, and how much at once.
      {.folder = "server/access/",
       .rooms = {"base/", "proto/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "<iostream>", "<random>"}},
      {.folder = "server/log/",
       .rooms = {"base/"},
       .forbidden = {kModelOptions, "<iostream>", "<random>"}},
      // What carries acts from the gate's process to the vault's.
      {.folder = "server/acts/",
       .rooms = {"base/", "proto/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "<iostream>", "<random>"}},
      // The only one with a network.
      {.folder = "server/gate/",
       .rooms = {"base/", "proto/", "server/access/", "server/acts/act_handler.h",
                 "server/acts/answer_cache.h", "server/acts/one_reply.h", "server/log/"},
       .libraries = {"absl/", "google/protobuf/", "grpc/", "grpcpp/", "openssl/"},
       .forbidden = {kModelOptions, "<iostream>", "<random>"}},
      // Sums with the keys of the coins; it never sees a receipt, the noise or its key.
      {.folder = "server/executor/",
       .rooms = {"base/", "model/data/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "server/random/", "server/corpus/", "server/mechanism/"},
       .forbidden = {"server/corpus/ingest/", "server/mechanism/noise", "<chrono>", "<ctime>",
                     "<fstream>", "<iostream>", "<random>"}},
      // What the vault knows of a job that sums for it: an executor at the other end of a socket.
      {.folder = "server/cluster/",
       .rooms = {"base/", "proto/", "model/sparse_statistic.h", "model/statistic_model.h",
                 "server/executor/build.h", "server/executor/executor.h", "server/mechanism/"},
       .libraries = {"absl/", "google/protobuf/", "openssl/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "server/mechanism/noise",
                     "<iostream>", "<random>"}},
      // How long the largest release's units take, on made-up documents.
      {.folder = "server/timing/",
       .rooms = {"base/", "model/data/", "model/models.h", "model/statistic_model.h",
                 "model/worst_case.h", "server/mechanism/", "server/random/"},
       .forbidden = {kModelOptions, "server/mechanism/noise", "<fstream>", "<iostream>",
                     "<random>"}},
      // A rank of that job: sums with the keys of the coins, and has neither ledger nor noise.
      {.folder = "server/worker/",
       .rooms = {"base/", "proto/", "model/data/", "model/models.h", "model/statistic_model.h",
                 "server/cluster/job_messages.h", "server/corpus/", "server/executor/",
                 "server/mechanism/", "server/random/", "server/sealing/", "server/timing/",
                 "server/wall_config.h"},
       .libraries = {"absl/", "google/protobuf/", "openssl/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "server/corpus/ingest/",
                     "server/mechanism/noise", "<fstream>", "<iostream>", "<random>"}},
      {.folder = "server/worker/ranks.cc",
       .rooms = {"server/worker/ranks.h"},
       .libraries = {"absl/", "mpi.h"},
       .forbidden = {"<random>"}},
      {.folder = "server/worker/main.cc",
       .rooms = {"base/", "model/kernel_option.h", "server/local_doors.h", "server/random/",
                 "server/release/start_moment.h", "server/wall_config.h", "server/worker/"},
       .forbidden = {"<random>"}},
      // What a release is made of, from the charge to the instant.
      {.folder = "server/vault/",
       .rooms = {"base/", "proto/", "accountant/", "model/data/", "model/models.h",
                 "model/sparse_statistic.h", "model/statistic_model.h", "server/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "server/gate/", "server/admin/",
                     "server/audit/", "<iostream>", "<random>"}},
      // Attacks the wall: sees all of it, and only its own program sees it.
      {.folder = "server/audit/",
       .rooms = {"base/", "proto/", "accountant/", "model/data/", "model/models.h",
                 "model/sparse_statistic.h", "model/statistic_model.h", "server/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {"server/admin/", "server/gate/", "<iostream>", "<random>"}},
      {.folder = "server/audit/main.cc",
       .rooms = {"base/", "server/"},
       .forbidden = {"server/admin/", "<random>"}},
      {.folder = "server/admin/",
       .rooms = {"base/", "proto/", "accountant/", "model/kernel_option.h", "server/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {"server/audit/", "<random>"}},
      {.folder = "server/admin/commands/",
       .rooms = {"base/", "proto/", "accountant/", "model/data/", "model/models.h", "server/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {"server/audit/", "<random>"}},
      // What a process may still do: nothing of ours but what every room stands on.
      {.folder = "server/sandbox/",
       .rooms = {"base/"},
       .libraries = {"absl/", "seccomp.h"},
       .forbidden = {"<iostream>", "<random>", "<thread>"}},
      {.folder = "server/random/",
       .rooms = {"base/"},
       .libraries = {"absl/", "openssl/"},
       .forbidden = {"<random>"}},
      {.folder = "server/sealing/",
       .rooms = {"base/", "server/random/"},
       .libraries = {"absl/", "openssl/"},
       .forbidden = {"<random>"}},
      // Where chains are kept: it decides nothing and folds nothing.
      {.folder = "server/store/",
       .rooms = {"base/", "proto/", "server/store/sqlite/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "<random>"}},
      {.folder = "server/store/sqlite/",
       .rooms = {"base/", "proto/", "server/store/"},
       .libraries = {"absl/", "google/protobuf/", "sqlite3.h"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "<random>"}},
      // Several servers' one database: what has libpq is linked by its own program alone.
      {.folder = "server/store/postgresql/",
       .rooms = {"base/", "proto/", "server/store/"},
       .libraries = {"absl/", "google/protobuf/", "libpq-fe.h"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "server/store/sqlite/",
                     "server/store/remote/", "<random>"}},
      // A store that another process has, seen from both.
      {.folder = "server/store/remote/",
       .rooms = {"base/", "proto/", "server/store/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "server/store/sqlite/",
                     "server/store/postgresql/", "<random>"}},
      {.folder = "server/store/main.cc",
       .rooms = {"base/", "server/sandbox/", "server/store/", "server/supervisor/control_line.h"},
       .forbidden = {"server/store/sqlite/"}},
      {.folder = "server/ledger/",
       .rooms = {"base/", "accountant/", "proto/", "server/random/", "server/sealing/",
                 "server/store/"},
       .libraries = {"absl/", "google/protobuf/", "openssl/"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "server/store/sqlite/",
                     "server/store/postgresql/", "server/store/remote/", "<random>"}},
      {.folder = "server/corpus/",
       .rooms = {"base/", "model/data/", "proto/", "server/random/", "server/sealing/"},
       .libraries = {"absl/", "google/protobuf/", "sqlite3.h"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "<random>"}},
      // From the custodian's files to a sealed corpus.
      {.folder = "server/corpus/ingest/",
       .rooms = {"base/", "model/data/", "proto/", "server/random/", "server/sealing/",
                 "server/corpus/"},
       .libraries = {"absl/", "google/protobuf/", "sqlite3.h"},
       .forbidden = {kModelOptions, kServiceHeaders, kStatusOfGrpc, "<random>"}},
      {.folder = "server/mechanism/",
       .rooms = {"base/", "model/sparse_statistic.h", "model/unit_bits.h", "server/random/",
                 "server/ledger/charge_receipt.h", "server/mechanism/noise/"},
       .forbidden = AllButInputs()},
      // What crosses between processes that sum one release; keys among it, which are wiped.
      {.folder = "server/mechanism/shards/",
       .rooms = {"base/", "server/random/", "server/mechanism/"},
       .libraries = {"absl/", "openssl/crypto.h"},
       .forbidden = AllButInputs()},
      // The exact noise: integers, and what they are compared with.
      {.folder = "server/mechanism/noise/",
       .rooms = {"base/"},
       .libraries = {"absl/", "boost/multiprecision/"},
       .forbidden = AllButInputs()},
      {.folder = "server/release/", .rooms = {"base/"}, .forbidden = {"<random>"}},
      // What every room of the analyst's sees: files, words, exit codes.
      {.folder = "client/",
       .rooms = {"base/", "proto/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/main.cc", .rooms = {"base/", "model/", "client/"}},
      // One analyst's door to one wall.
      {.folder = "client/wall/",
       .rooms = {"base/", "proto/", "model/", "client/exit_code.h", "client/json.h",
                 "client/terminal.h"},
       .libraries = {"absl/", "google/protobuf/", "grpc/", "grpcpp/"}},
      // Whether the wall keeps its promise, by its own chain.
      {.folder = "client/audit/",
       .rooms = {"base/", "proto/", "accountant/", "client/wall/", "client/exit_code.h",
                 "client/json.h", "client/terminal.h"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/fit/",
       .rooms = {"base/", "proto/", "accountant/", "model/", "client/wall/", "client/audit/",
                 "client/topics/topic_labels.h", "client/exit_code.h", "client/json.h",
                 "client/terminal.h"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/evaluate/",
       .rooms = {"base/", "proto/", "accountant/", "model/", "client/wall/", "client/audit/",
                 "client/fit/", "client/exit_code.h", "client/json.h", "client/terminal.h"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      // A wall with nothing behind it, for who rehearses.
      {.folder = "client/mock/",
       .rooms = {"base/", "proto/", "accountant/", "model/", "client/wall/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      // What a model's folder says, without a wall.
      {.folder = "client/topics/",
       .rooms = {"base/", "proto/", "model/", "client/fit/model_file.h",
                 "client/wall/mock_custodian.h"},
       .forbidden = {kServiceHeaders}},
      // What is shown of a model and a ledger: gathered by facts/, drawn by page/.
      {.folder = "client/report/",
       .rooms = {"base/", "proto/", "client/report/", "client/audit/takings.h",
                 "client/evaluate/prevalence_file.h", "client/fit/fit_outcome.h",
                 "client/fit/model_directory.h", "client/fit/model_file.h"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/report/facts/",
       .rooms = {"base/", "proto/", "accountant/filters/attack_bounds.h",
                 "accountant/ledger/price_record.h", "model/lda/denoise/noise_model.h",
                 "model/lda/reading/", "model/gaussian/fitted_gaussians.h", "client/audit/",
                 "client/evaluate/", "client/fit/algorithms/denoised_plans.h",
                 "client/fit/fit_spec.h", "client/fit/model_directory.h", "client/fit/model_file.h",
                 "client/topics/"},
       .libraries = {"absl/", "google/protobuf/", "Eigen/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/report/page/",
       .rooms = {"base/", "proto/", "accountant/ledger/price_record.h", "model/data/utf8.h",
                 "model/lda/reading/quality_calibration.h", "model/lda/reading/word_relevance.h",
                 "client/report/facts/model_facts.h", "client/report/facts/rounded_numbers.h",
                 "client/report/text/", "client/wall/mock_custodian.h"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/report/text/",
       .rooms = {"base/", "model/data/utf8.h", "proto/told_numbers.h"},
       .libraries = {"absl/"},
       .forbidden = {kServiceHeaders}},
      {.folder = "client/commands/",
       .rooms = {"base/", "proto/", "accountant/", "model/", "client/"},
       .libraries = {"absl/", "google/protobuf/"},
       .forbidden = {kServiceHeaders}},
      // The extension module of the Python package: what the commands do, for Python to call.
      {.folder = "client/python/",
       .rooms = {"base/", "proto/", "accountant/", "model/", "client/"},
       .libraries = {"absl/", "google/protobuf/", "pybind11/"},
       .forbidden = {kServiceHeaders}},
      // Experiments on public documents: both sides in one process, and nothing links to it.
      {.folder = "deploy/study/",
       .rooms = {"base/", "accountant/", "client/", "model/", "server/mechanism/"}},
  };
  return *rooms;
}

constexpr absl::string_view kLibraries[] = {
    "absl/",      "Eigen/",  "unsupported/Eigen/", "xsimd/",    "google/",
    "grpc/",      "grpcpp/", "openssl/",           "sqlite3",   "CLI/",
    "gtest/",     "gmock/",  "benchmark/",         "nlohmann/", "seccomp.h",
    "libpq-fe.h", "boost/",  "pybind11/",          "mpi.h",     "tests/"};

bool StartsWithAny(absl::string_view text, absl::Span<const absl::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [text](absl::string_view prefix) { return absl::StartsWith(text, prefix); });
}

const Room* RoomOf(absl::string_view path) {
  const Room* best = nullptr;
  for (const Room& room : Rooms()) {
    const bool inside = absl::StartsWith(path, room.folder);
    if (inside && (best == nullptr || room.folder.size() > best->folder.size())) best = &room;
  }
  return best;
}

// Folders of the system's own headers; any other <folder/…> is a library nobody decided on.
constexpr absl::string_view kSystemFolders[] = {"sys/", "linux/", "asm/", "netinet/", "arpa/"};

// Empty if `room` may include `name` (quotes or brackets off), else the rule that forbids it.
std::string Forbids(const Room& room, absl::string_view name, bool bracketed) {
  const std::string system = absl::StrCat("<", name, ">");
  if (StartsWithAny(name, room.forbidden) || (bracketed && StartsWithAny(system, room.forbidden))) {
    return absl::StrCat(room.folder, " must never include ", name);
  }
  if (StartsWithAny(name, kLibraries)) {
    return StartsWithAny(name, room.libraries)
               ? ""
               : absl::StrCat(room.folder, " may not see the library of ", name);
  }
  const Room* const target = RoomOf(name);
  if (target != nullptr) {
    const bool own = absl::StartsWith(name, room.folder) && target->folder == room.folder;
    return own || StartsWithAny(name, room.rooms)
               ? ""
               : absl::StrCat("no arrow leads from ", room.folder, " to ", name,
                              " (tests/layering/house_rules.cc has them)");
  }
  if (bracketed) {
    return !absl::StrContains(name, "/") || StartsWithAny(name, kSystemFolders)
               ? ""
               : absl::StrCat("no room may see the library of ", name);
  }
  return absl::StrCat("includes start from the root of the tree; got \"", name, "\"");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Violation& violation) {
  return out << violation.path << ":" << violation.line << ": " << violation.rule;
}

std::vector<Violation> CheckIncludes(const SourceFile& file) {
  const Room* const room = RoomOf(file.path);
  if (room == nullptr)
    return {{file.path, 1, "belongs to no room of tests/layering/house_rules.cc"}};
  static const auto* const include =
      new std::regex(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)re");
  std::vector<Violation> violations;
  std::istringstream lines(file.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (!std::regex_match(line, match, *include)) continue;
    const std::string name = match[2].str();
    std::string rule = Forbids(*room, name, match[1].str() == "<");
    if (!rule.empty()) violations.push_back({file.path, number, std::move(rule)});
  }
  return violations;
}

namespace {

// Of every line of code that has a match.
std::vector<Violation> Matches(const SourceFile& file, const std::regex& pattern,
                               const std::string& rule) {
  std::vector<Violation> violations;
  std::istringstream lines(file.text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (std::regex_search(line, pattern)) violations.push_back({file.path, number, rule});
  }
  return violations;
}

}  // namespace

std::vector<Violation> CheckWaits(const SourceFile& file) {
  static const auto* const timed = new std::regex(R"(With(Timeout|Deadline)\s*\()");
  return Matches(file, *timed,
                 "waits by the wall clock, which may be set: wait by base/threads/steady_wait.h");
}

std::vector<Violation> CheckNumbers(const SourceFile& file) {
  static const auto* const by_locale =
      new std::regex(R"(\b(strto(d|f|ld)|sto(d|f|ld)|atof|sscanf)\s*\()");
  return Matches(file, *by_locale,
                 "reads numbers by the locale, which may have another point: absl::SimpleAtod");
}

std::vector<Violation> CheckSize(const SourceFile& file) {
  const int lines = static_cast<int>(std::count(file.text.begin(), file.text.end(), '\n'));
  const int limit = absl::EndsWith(file.path, ".h") ? kMaxHeaderLines : kMaxSourceLines;
  if (lines <= limit) return {};
  return {{file.path, lines, absl::StrCat("may have ", limit, " lines; has ", lines)}};
}

std::vector<SourceFile> ReadRooms(const std::string& root) {
  std::vector<SourceFile> files;
  for (const char* folder :
       {"accountant", "base", "client", "deploy", "model", "proto", "server"}) {
    const std::filesystem::path start = std::filesystem::path(root) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(start)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cc")) continue;
      std::ifstream file(entry.path());
      std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      files.push_back(
          {std::filesystem::relative(entry.path(), root).generic_string(), std::move(text)});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace topicwall::layering
