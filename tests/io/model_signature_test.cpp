// What may be replaced by a model is told by its first bytes.
#include "mercer/io/model_signature.h"

#include <gtest/gtest.h>

#include "data/temporary_folder.h"

namespace mercer {
namespace {

TEST(ModelSignature, ModelsAreKnownWholeDamagedAndFromPython) {
  const TemporaryFolder folder;
  const std::string golden = std::string(MERCER_TEST_DIR) + "/io/golden";
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden)) {
    if (entry.path().extension() == ".mercer") {
      ++models;
      EXPECT_EQ(look_at_content(entry.path()), FileContent::model) << entry.path();
      const std::string cut_off = read_bytes(entry.path()).substr(0, 2000);
      EXPECT_EQ(look_at_content(folder.write("cut", cut_off)), FileContent::model) << entry.path();
    }
  }
  EXPECT_GT(models, 0U);
  const std::string archive = "PK\x03\x04" + std::string(26, '\x01') + "estimator.json{}";
  EXPECT_EQ(look_at_content(folder.write("archive", archive)), FileContent::model);
}

TEST(ModelSignature, OtherFilesAreNot) {
  const TemporaryFolder folder;
  EXPECT_EQ(look_at_content(folder.write("empty", "")), FileContent::nothing);
  const std::string other_tensors = std::string("\x20\0\0\0\0\0\0\0", 8) + "{\"__metadata__\":{\"format\":\"pt\"}}  ";
  const std::string other_archive = "PK\x03\x04" + std::string(26, '\x01') + "thesis.docx";
  for (const std::string& content : {std::string("a,b\n1,2\n"), std::string("{\"__metadata__\":{\"mercer\":\"1\"}}"),
                                     other_tensors, other_archive, std::string("\x1F\x8B broken", 9)}) {
    EXPECT_EQ(look_at_content(folder.write("other", content)), FileContent::other) << content;
  }
  EXPECT_EQ(look_at_content(folder.file("missing")), FileContent::other);
}

}  // namespace
}  // namespace mercer
