// Files are told apart by what they are, not by their names.
#include "mercer/data/files/file_identity.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "data/temporary_folder.h"

namespace mercer {
namespace {

TEST(FileIdentity, LinksOfBothKindsAreOneFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "x");
  const std::string other = folder.write("other", "x");
  std::filesystem::create_symlink("file", folder.file("soft"));
  std::filesystem::create_hard_link(path, folder.file("hard"));
  ASSERT_TRUE(identity_of(path));
  EXPECT_EQ(identity_of(folder.file("soft")), identity_of(path));
  EXPECT_EQ(identity_of(folder.file("hard")), identity_of(path));
  EXPECT_EQ(identity_of(folder.file("./file")), identity_of(path));
  EXPECT_NE(identity_of(other), identity_of(path));
}

TEST(FileIdentity, AFileThatIsNotThereYetIsKnownByItsPlace) {
  const TemporaryFolder folder;
  const std::string place = folder.file("later");
  std::filesystem::create_symlink("later", folder.file("soft"));
  ASSERT_TRUE(identity_of(place));
  EXPECT_EQ(identity_of(folder.file("./later")), identity_of(place));
  EXPECT_EQ(identity_of(folder.file("soft")), identity_of(place));
  EXPECT_NE(identity_of(folder.file("never")), identity_of(place));
  EXPECT_EQ(final_path(folder.file("soft")), place);
}

TEST(FileIdentity, DevicesAndFoldersAreReplacedByNothing) {
  const TemporaryFolder folder;
  EXPECT_FALSE(identity_of("/dev/null"));
  EXPECT_FALSE(identity_of(folder.file("")));
  EXPECT_FALSE(identity_of(folder.file("no/such/folder")));
  const std::string path = folder.write("file", "x");
  EXPECT_FALSE(identity_of(path + "/below"));
}

TEST(FileIdentity, ADescriptorIsTheFileBehindIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("file", "x");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(identity_of_descriptor(descriptor), identity_of(path));
  close(descriptor);
  EXPECT_FALSE(identity_of_descriptor(descriptor));
}

}  // namespace
}  // namespace mercer
