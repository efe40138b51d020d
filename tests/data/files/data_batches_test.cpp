// Blocks of rows: joined they are the file, whatever their size.
#include <gtest/gtest.h>

#include <vector>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

const char* const training = "age,color,size,y\n1,red,3,0\n2,blue,5,1\n4,red,8,0\n";
const char* const names = "size,extra,age,color\n";

ReadOptions as_trained() {
  InputStream stream("train.csv", training);
  ReadOptions options;
  options.schema = read_data(stream, {.targets = {"y"}}).schema;
  options.targets = {"y"};
  options.targets_presence = Presence::ignored;
  return options;
}

std::vector<DataFile> blocks_of(const std::string& path, const ReadOptions& options, Index rows) {
  std::vector<DataFile> blocks;
  DataBatches batches(path, options, rows, {});
  while (auto block = batches.next()) {
    blocks.push_back(*std::move(block));
  }
  return blocks;
}

class Batches : public ::testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(Batches, JoinedAreTheFile) {
  std::string text = names;
  for (int i = 0; i < 23; ++i) {
    text += std::to_string(i) + ",\"a,\"\"b\"\"\n\"," + std::to_string(0.5 * i) + (i % 3 == 0 ? ",red\n" : ",green\n");
  }
  const std::string path = folder.write("new.csv", text);
  const ReadOptions options = as_trained();
  const DataFile whole = read_data(path, options);
  for (const Index rows : {1, 5, 22, 23, 100}) {
    Index first = 0;
    for (const DataFile& block : blocks_of(path, options, rows)) {
      ASSERT_EQ(block.samples.size(), std::min(rows, 23 - first)) << rows;
      EXPECT_EQ(block.schema, whole.schema);
      const auto numbers = block.samples.table().numeric().as<DenseRows<double>>();
      const auto expected = whole.samples.table().numeric().as<DenseRows<double>>();
      const auto codes = block.samples.table().others()[0].values.as<CategoryRows>().codes;
      const auto expected_codes = whole.samples.table().others()[0].values.as<CategoryRows>().codes;
      for (Index i = 0; i < block.samples.size(); ++i) {
        EXPECT_EQ(numbers(i, 0), expected(first + i, 0));
        EXPECT_EQ(numbers(i, 1), expected(first + i, 1));
        EXPECT_EQ(codes[i], expected_codes[first + i]);
      }
      first += block.samples.size();
    }
    EXPECT_EQ(first, 23) << rows;
  }
}

TEST_F(Batches, ErrorsNameTheLineOfTheFile) {
  const std::string path = folder.write("new.csv", std::string(names) + "1,,2,red\n1,,2,red\n1,,x,red\n");
  EXPECT_ERROR(blocks_of(path, as_trained(), 2), DataError, "new.csv:4:");
  const std::string narrow = folder.write("narrow.csv", std::string(names) + "1,,2,red\n1,,2,red\n1,2,red\n");
  EXPECT_ERROR(blocks_of(narrow, as_trained(), 1), DataError, "narrow.csv:4: 3 fields where line 1 has 4");
}

TEST_F(Batches, MissingValuesMayEmptyABlockButNotTheFile) {
  ReadOptions options = as_trained();
  options.missing = MissingValues::drop;
  const std::string path = folder.write("new.csv", std::string(names) + "?,,2,red\n1,,?,red\n1,,3,red\n");
  const std::vector<DataFile> blocks = blocks_of(path, options, 2);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].samples.size(), 0);
  EXPECT_EQ(blocks[0].dropped_rows, 2);
  EXPECT_EQ(blocks[1].samples.size(), 1);
  const std::string none = folder.write("none.csv", std::string(names) + "?,,2,red\n1,,?,red\n");
  EXPECT_ERROR(blocks_of(none, options, 1), DataError, "none is left");
}

TEST_F(Batches, WithoutRows) {
  EXPECT_ERROR(blocks_of(folder.write("new.csv", names), as_trained(), 2), DataError, "no samples below it");
  EXPECT_ERROR(blocks_of(folder.write("empty.csv", ""), as_trained(), 2), DataError, "the file is empty");
}

TEST_F(Batches, OtherFormatsAreOneBlock) {
  ReadOptions options;
  InputStream train("train.svm", "1 1:2 3:4\n-1 2:1\n");
  options.schema = read_data(train).schema;
  options.targets_presence = Presence::ignored;
  const std::vector<DataFile> blocks = blocks_of(folder.write("new.svm", "1 1:2\n-1 2:1\n1 3:1\n"), options, 1);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].samples.size(), 3);
}

}  // namespace
}  // namespace mercer
