#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace topicwall::base {
namespace {

static_assert(!std::is_copy_constructible_v<FileDescriptor>);

FileDescriptor Opened() { return FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool IsOpen(int number) { return fcntl(number, F_GETFD) >= 0; }

TEST(FileDescriptorTest, IsClosedWhenTheObjectGoesAndNotBefore) {
  int number = -1;
  {
    const FileDescriptor file = Opened();
    ASSERT_TRUE(file.valid());
    number = file.get();
    EXPECT_TRUE(IsOpen(number));
  }
  EXPECT_FALSE(IsOpen(number));
}

TEST(FileDescriptorTest, AMovedOneIsClosedOnceByWhoeverHoldsItLast) {
  FileDescriptor first = Opened();
  const int number = first.get();
  FileDescriptor second(std::move(first));
  EXPECT_FALSE(first.valid());
  {
    FileDescriptor third = Opened();
    const int other = third.get();
    third = std::move(second);
    EXPECT_EQ(third.get(), number);
    EXPECT_EQ(second.get(), other);
  }
  EXPECT_FALSE(IsOpen(number));
  EXPECT_TRUE(IsOpen(second.get()));
}

TEST(FileDescriptorTest, WhatCouldNotBeOpenedIsNotValid) {
  EXPECT_FALSE(FileDescriptor(open("/no/such/file", O_RDONLY | O_CLOEXEC)).valid());
}

}  // namespace
}  // namespace topicwall::base
