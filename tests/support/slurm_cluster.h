// A real Slurm of its own on this machine, with several hosts of one processor.
//
//   const std::string why_not = SlurmCluster::WhyNot();          // empty: it can be had
//   SlurmCluster slurm(3);                                       // host1, host2, host3
//   Background({"/usr/bin/srun", …}, …, slurm.environment());
//
// All of it listens on 127.0.0.1, and is gone with the object.
#ifndef TOPICWALL_TESTS_SUPPORT_SLURM_CLUSTER_H_
#define TOPICWALL_TESTS_SUPPORT_SLURM_CLUSTER_H_

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/process.h"
#include "tests/support/free_port.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {

class SlurmCluster {
 public:
  static std::string WhyNot() {
    for (const char* program : {"/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/bin/srun"}) {
      if (!std::filesystem::exists(program)) return absl::StrCat("there is no ", program);
    }
    return "";
  }

  explicit SlurmCluster(int num_hosts) {
    WriteWholeFile(ConfigPath(), Configuration(num_hosts));
    Start({"/usr/sbin/slurmctld", "-D", "-f", ConfigPath()});
    for (int host = 1; host <= num_hosts; ++host) {
      Start({"/usr/sbin/slurmd", "-D", "-N", absl::StrCat("host", host), "-f", ConfigPath()});
    }
    AwaitAnswer({"/usr/bin/sinfo", "-h", "-o", "%T %D"}, absl::StrCat("idle ", num_hosts, "\n"));
  }
  // Steps first, which would outlive the programs that started them.
  ~SlurmCluster() {
    Ask({"/usr/bin/scancel", "--quiet", "--full", "--signal=KILL", "--state=RUNNING"});
    AwaitAnswer({"/usr/bin/squeue", "-h"}, "");
    for (const auto& program : programs_) program->Signal(SIGTERM);
    for (const auto& program : programs_) program->Wait();
  }
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  // A rank on each of so many hosts; rank 0 on the first of them.
  static std::vector<std::string> Srun(int num_hosts) {
    return {"/usr/bin/srun", "--mpi=pmix", "--kill-on-bad-exit=1", "--ntasks-per-node=1",
            absl::StrCat("--nodes=", num_hosts)};
  }
  // For Slurm's programs, and for ranks, which are not on one machine as far as they know.
  Environment environment() const {
    return {{"SLURM_CONF", ConfigPath()},
            {"OMPI_MCA_btl", "self,tcp"},
            {"OMPI_MCA_btl_tcp_if_include", "127.0.0.0/8"}};
  }

 private:
  std::string Path(const std::string& name) const {
    return absl::StrCat(folder_.path(), "/", name);
  }
  std::string ConfigPath() const { return Path("slurm.conf"); }

  std::string Configuration(int num_hosts) {
    std::string host(256, '\0');
    EXPECT_EQ(gethostname(host.data(), host.size() - 1), 0);
    host.resize(host.find_first_of(std::string(".\0", 2)));
    const std::string user = absl::StrCat(geteuid());
    std::filesystem::create_directory(Path("state"));
    std::string text = absl::StrCat(
        "ClusterName=hosts\nSlurmctldHost=", host, "(127.0.0.1)\nSlurmctldPort=", FreePort(),
        "\nAuthType=auth/none\nCredType=cred/none\nSlurmUser=", user, "\nSlurmdUser=", user,
        "\nStateSaveLocation=", Path("state"), "\nSlurmdSpoolDir=", Path("%n"),
        "\nTmpFS=", Path("%n"), "\nSlurmctldPidFile=", Path("controller.pid"),
        "\nSlurmdPidFile=", Path("%n.pid"),
        "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nReturnToService=2\n"
        "PartitionName=all Nodes=ALL Default=YES State=UP\n");
    for (int node = 1; node <= num_hosts; ++node) {
      std::filesystem::create_directory(Path(absl::StrCat("host", node)));
      absl::StrAppend(&text, "NodeName=host", node, " NodeHostname=", host,
                      " NodeAddr=127.0.0.1 CPUs=1 Port=", FreePort(), "\n");
    }
    return text;
  }
  void Start(const std::vector<std::string>& command) {
    programs_.push_back(std::make_unique<Background>(command, Path("output"), environment()));
  }
  void AwaitAnswer(const std::vector<std::string>& question, const std::string& answer) const {
    std::string given = Ask(question);
    for (int tries = 0; given != answer; ++tries) {
      ASSERT_LT(tries, 600) << given << ReadWholeFile(Path("output"));
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      given = Ask(question);
    }
  }
  std::string Ask(const std::vector<std::string>& command) const {
    return RunToEnd(command, environment()).output;
  }

  const TemporaryDirectory folder_;
  std::vector<std::unique_ptr<Background>> programs_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_SLURM_CLUSTER_H_
