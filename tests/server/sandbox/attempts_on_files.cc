#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "tests/server/sandbox/attempts.h"

namespace topicwall::sandbox {
namespace {

long Open(const std::string& path, int flags, mode_t mode = 0600) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, mode);
  if (file >= 0) close(file);
  return file;
}

}  // namespace

std::vector<Attempt> ByPath(const Folders& f, const Victim& victim) {
  const std::string process = absl::StrCat("/proc/", victim.pid(), "/");
  return {
      // What is meant to be possible.
      {"read what is readable", [=] { return Open(f("open/file"), O_RDONLY); }, 0, 0},
      {"write what is writable", [=] { return Open(f("data/kept"), O_WRONLY | O_TRUNC); }, 0, 0},
      {"make a file", [=] { return Open(f("data/new"), O_RDWR | O_CREAT | O_EXCL); }, 0, 0},
      {"rename a file", [=] { return rename(f("data/new").c_str(), f("data/old").c_str()); }, 0, 0},
      {"remove a file", [=] { return unlink(f("data/old").c_str()); }, 0, 0},
      // Landlock.
      {"read a secret", [=] { return Open(f("secret/file"), O_RDONLY); }, EACCES, EACCES},
      {"list the secrets", [=] { return Open(f("secret"), O_RDONLY | O_DIRECTORY); }, EACCES,
       EACCES},
      {"by a way round", [=] { return Open(f("data/../secret/file"), O_RDONLY); }, EACCES, EACCES},
      {"write what is readable", [=] { return Open(f("open/file"), O_WRONLY); }, EACCES, EACCES},
      {"append to it", [=] { return Open(f("open/file"), O_WRONLY | O_APPEND); }, EACCES, EACCES},
      {"make one there", [=] { return Open(f("open/new"), O_WRONLY | O_CREAT); }, EACCES, EACCES},
      {"rename one there", [=] { return rename(f("open/moved").c_str(), f("open/other").c_str()); },
       EACCES, EACCES},
      {"take a secret out",
       [=] { return rename(f("secret/taken").c_str(), f("data/taken").c_str()); }, EACCES, EACCES},
      {"link a secret", [=] { return link(f("secret/linked").c_str(), f("data/linked").c_str()); },
       EXDEV, EXDEV},
      {"remove a secret", [=] { return unlink(f("secret/removed").c_str()); }, EACCES, EACCES},
      {"make a folder", [=] { return mkdir(f("secret/x").c_str(), 0700); }, EACCES, EACCES},
      {"remove a folder", [=] { return rmdir(f("secret").c_str()); }, EACCES, EACCES, false},
      {"make a symbolic link", [=] { return symlink("/etc", f("data/link").c_str()); }, EACCES,
       EPERM},
      {"make a pipe", [=] { return mkfifo(f("data/pipe").c_str(), 0600); }, EACCES, EPERM},
      {"the memory of another", [=] { return Open(process + "mem", O_RDONLY); }, EACCES, EACCES,
       false},
      {"its environment", [=] { return Open(process + "environ", O_RDONLY); }, EACCES, EACCES},
      {"its map", [=] { return Open(process + "maps", O_RDONLY); }, EACCES, EACCES},
      {"its files", [=] { return Open(process + "fd", O_RDONLY | O_DIRECTORY); }, EACCES, EACCES},
      {"its root", [=] { return Open(process + "root/" + f("secret/file"), O_RDONLY); }, EACCES,
       EACCES},
      {"its adjustment", [=] { return Open(process + "oom_score_adj", O_WRONLY); }, EACCES, EACCES},
  };
}

std::vector<Attempt> BesideLandlock(const Folders& f) {
  return {
      {"truncate by path", [=] { return truncate(f("open/file").c_str(), 0); }, EPERM, EPERM},
      {"truncate what is only read", [=] { return Open(f("open/file"), O_RDONLY | O_TRUNC); },
       EPERM, EPERM},
      {"truncate neither read nor written",
       [=] { return Open(f("secret/cut"), O_ACCMODE | O_TRUNC); }, EPERM, EPERM},
      {"change a mode", [=] { return chmod(f("secret/file").c_str(), 0644); }, EPERM, EPERM},
      {"change an owner", [=] { return chown(f("secret/file").c_str(), getuid(), getgid()); },
       EPERM, EPERM},
      {"change a time", [=] { return utimensat(AT_FDCWD, f("secret/file").c_str(), nullptr, 0); },
       EPERM, EPERM},
      {"change an attribute",
       [=] { return syscall(SYS_setxattr, f("secret/file").c_str(), "user.x", "y", 1, 0); }, EPERM,
       EPERM, false},
      {"watch who opens", [] { return syscall(SYS_inotify_init1, 0); }, EPERM, EPERM},
      {"openat2", [=] { return syscall(SYS_openat2, AT_FDCWD, f("open/file").c_str(), 0, 0); },
       ENOSYS, ENOSYS, false},
  };
}

// Of nothing at all, so that outside each of them is done and changes nothing for the next one.
std::vector<Attempt> OnTheLog(const Inherited& inherited) {
  const int log = inherited.log, other = inherited.data;
  static iovec nothing = {};
  const auto closed = [](long copy) {
    if (copy >= 0) close(static_cast<int>(copy));
    return copy;
  };
  return {
      {"write to it", [=] { return write(log, "", 0); }, 0, 0},
      {"ask for its flags", [=] { return fcntl(log, F_GETFL); }, 0, 0},
      {"sync it", [=] { return fdatasync(log); }, 0, 0},
      {"cut it", [=] { return ftruncate(log, 0); }, EPERM, EPERM},
      {"cut it by a register's lower half",
       [=] { return syscall(SYS_ftruncate, kBeyondInt + static_cast<uint64_t>(log), 0); }, EPERM,
       EPERM},
      {"make it longer", [=] { return fallocate(log, FALLOC_FL_KEEP_SIZE, 0, 8); }, EPERM, EPERM,
       false},
      {"make a hole in it",
       [=] { return fallocate(log, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1 << 20, 1); },
       EPERM, EPERM, false},
      {"the same by ioctl",
       [=] {
         int flags = 0;
         return ioctl(log, FS_IOC_GETFLAGS, &flags);
       },
       EPERM, EPERM, false},
      {"write over it", [=] { return fcntl(log, F_SETFL, O_APPEND); }, EPERM, EPERM},
      {"go back in it", [=] { return lseek(log, 0, SEEK_SET); }, EPERM, EPERM},
      {"write at a place", [=] { return pwrite(log, "", 0, 0); }, EPERM, EPERM},
      {"several there", [=] { return pwritev(log, &nothing, 1, 0); }, EPERM, EPERM},
      {"not at its end", [=] { return pwritev2(log, &nothing, 1, 0, 0x20); }, EPERM, EPERM, false},
      // aio(7) writes with the same flag.
      {"set up asynchronous writes",
       [] {
         aio_context_t none = 0;
         return syscall(SYS_io_setup, 1, &none);
       },
       EPERM, EPERM, false},
      {"submit one", [] { return syscall(SYS_io_submit, 0, 0, nullptr); }, EPERM, EPERM, false},
      {"copy into it", [=] { return syscall(SYS_copy_file_range, other, 0, log, 0, 0, 0); }, EPERM,
       EPERM, false},
      {"map it",
       [=] { return mmap(nullptr, 8, PROT_WRITE, MAP_SHARED, log, 0) == MAP_FAILED ? -1 : 0; },
       EPERM, EPERM, false},
      {"have it twice", [=] { return closed(dup(log)); }, EPERM, EPERM},
      {"under a number", [=] { return closed(dup2(log, 200)); }, EPERM, EPERM},
      {"closed by exec", [=] { return closed(dup3(log, 200, O_CLOEXEC)); }, EPERM, EPERM},
      {"by fcntl", [=] { return closed(fcntl(log, F_DUPFD, 200)); }, EPERM, EPERM},
      {"so too", [=] { return closed(fcntl(log, F_DUPFD_CLOEXEC, 200)); }, EPERM, EPERM},
  };
}

}  // namespace topicwall::sandbox
