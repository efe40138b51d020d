// Who may read a file that replaces another, and what stays of one that is not completed.
#include "mercer/data/files/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "data/temporary_folder.h"
#include "mercer/data/files/input_stream.h"

namespace mercer {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

void replace(const std::string& path, const std::string& content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

TEST(AtomicFileAccess, ANewFileHasTheModeOfTheMask) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  replace(folder.file("new"), "x");
  umask(before);
  EXPECT_EQ(mode_of(folder.file("new")), 0640U);
}

TEST(AtomicFileAccess, AReplacedFileKeepsItsModeThroughLinksToo) {
  const TemporaryFolder folder;
  const std::string path = folder.write("old", "old");
  std::filesystem::create_symlink("old", folder.file("link"));
  for (const mode_t mode : {0600U, 0644U, 0660U, 0755U}) {
    chmod(path.c_str(), mode);
    replace(path, "new");
    EXPECT_EQ(mode_of(path), mode);
    replace(folder.file("link"), "newer");
    EXPECT_EQ(mode_of(path), mode);
    EXPECT_EQ(read_bytes(path), "newer");
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
}

TEST(AtomicFileAccess, ThePartOfASecretIsSecret) {
  const TemporaryFolder folder;
  const std::string path = folder.write("old", "old");
  chmod(path.c_str(), 0600);
  const AtomicFile file(path);
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
    EXPECT_EQ(mode_of(entry.path()), 0600U) << entry.path();
  }
}

TEST(AtomicFileAccess, ADanglingLinkIsFollowed) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("target", folder.file("link"));
  replace(folder.file("link"), "x");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_bytes(folder.file("target")), "x");
}

TEST(AtomicFileAccess, NamesDecideTheCompression) {
  const TemporaryFolder folder;
  const std::string content(100'000, 'a');
  for (const char* name : {"a.gz", "a.bz2", "a.xz"}) {
    replace(folder.file(name), content);
    EXPECT_LT(std::filesystem::file_size(folder.file(name)), 2000U) << name;
    InputStream stream(folder.file(name));
    std::string back;
    char buffer[4096];
    while (const std::size_t count = stream.read(buffer, sizeof buffer)) {
      back.append(buffer, count);
    }
    EXPECT_EQ(back, content) << name;
  }
}

}  // namespace
}  // namespace mercer
