#include "mercer/data/files/fasta_file.h"

#include <gtest/gtest.h>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

DataFile parse(const std::string& text, const ReadOptions& options = {}) {
  InputStream stream("a.fasta", text);
  return read_data(stream, options);
}

std::string error_of(const std::string& text, const ReadOptions& options = {}) {
  return message_of<DataError>([&] { parse(text, options); });
}

std::vector<std::string> strings_of(const Samples& samples) {
  const auto& rows = samples.as<StringRows>();
  std::vector<std::string> strings;
  for (Index i = 0; i < rows.rows; ++i) {
    strings.emplace_back(rows[i]);
  }
  return strings;
}

TEST(FastaFile, SequencesOverSeveralLinesWithBlanksStarsAndComments) {
  const DataFile file = parse("\xEF\xBB\xBF\n>a one\nAC GT\n\tacg\r\n\n;a comment\nTT*\n>empty\n>b\nMK*L**\n  \n>last");
  EXPECT_EQ(file.format, FileFormat::fasta);
  EXPECT_FALSE(file.targets);
  EXPECT_EQ(strings_of(file.samples), (std::vector<std::string>{"ACGTacgTT", "", "MK*L", ""}));
  EXPECT_EQ(file.schema, (Schema{SampleKind::strings, 0, {}}));
}

TEST(FastaFile, EveryCutIntoBlocksGivesTheSame) {
  // A line longer than any block, with blanks at random places, against a plain loop.
  std::string line;
  std::string expected;
  for (int i = 0; i < 2500000; ++i) {
    const char c = i % 977 == 0 ? ' ' : i % 1013 == 0 ? '*' : "ACGT"[(i % 31 * (i % 17) + i / 7) % 4];
    line += c;
    if (c != ' ') {
      expected += c;
    }
  }
  while (expected.ends_with('*')) {
    expected.pop_back();
  }
  const DataFile file = parse(">x\n" + line + "\n>y k=2\nA\n", {.targets = {"id"}});
  EXPECT_EQ(strings_of(file.samples), (std::vector<std::string>{expected, "A"}));
  EXPECT_EQ(file.targets->labels().levels, (std::vector<std::string>{"x", "y"}));
}

TEST(FastaFile, HeadersHoldTargetsWeightsAndGroups) {
  const std::string text =
      "> chr=1, strand=+, label=-1, w=2\nAC\n>id7|label=1;chr=2|w=0.5 x\nGT\n>q label=-1 w=1 chr=1\nA\n";
  const DataFile file = parse(text, {.targets = {"label", "strand"},
                                     .targets_presence = Presence::optional,
                                     .weights = "w",
                                     .groups = "chr",
                                     .missing = MissingValues::drop});
  EXPECT_EQ(file.samples.size(), 1);  // the others have no strand
  EXPECT_EQ(file.dropped_rows, 2);
  const DataFile all = parse(text, {.targets = {"label"}, .weights = "w", .groups = "chr"});
  EXPECT_EQ(all.targets->columns()[0].values, (std::vector<double>{-1, 1, -1}));
  EXPECT_EQ(all.targets->columns()[0].name, "label");
  EXPECT_EQ(all.targets->labels().levels, (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(all.weights, (std::vector<double>{2, 0.5, 1}));
  EXPECT_EQ(all.groups.codes, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(header_value("label=", "label"), "");
  EXPECT_EQ(header_value("xlabel=3 label=4", "label"), "4");
  EXPECT_EQ(header_value("first|second=1 word", "id"), "first|second=1");
  EXPECT_EQ(header_value("", "id"), std::nullopt);
}

TEST(FastaFile, MissingKeysAreSaidWithTheirLine) {
  EXPECT_NE(error_of(">a label=1\nAC\n\n>b\nGT\n", {.targets = {"label"}}).find("a.fasta:4"), std::string::npos);
  EXPECT_NE(error_of(">a lbl=1\nAC\n", {.targets = {"label"}}).find("a lbl=1"), std::string::npos);
  EXPECT_FALSE(parse(">a lbl=1\nAC\n", {.targets = {"label"}, .targets_presence = Presence::optional}).targets);
}

TEST(FastaFile, HostileTexts) {
  InputStream letters("x.fa", "ACGT\n>a\nA\n");
  EXPECT_NE(message_of<DataError>([&] { read_data(letters); }).find("x.fa:1"), std::string::npos);
  InputStream comments("x.fa", ";only\n;comments");
  EXPECT_ERROR(read_data(comments), DataError, "there is no sequence in the file");
  EXPECT_NE(error_of(std::string(">a\nAC\n") + std::string(70000, 'A') + '\0').find("a.fasta:3"), std::string::npos);
  EXPECT_ERROR(parse(">" + std::string(std::size_t{2} << 20, 'x')), DataError,
               "a.fasta:1: the header is longer than 1 MiB");
}

TEST(FastaFile, ModelsOfStringsTakeATextColumnAndTheOtherWayRound) {
  ReadOptions options;
  options.schema = parse(">a\nAC\n").schema;
  options.format = FileFormat::csv;
  InputStream table("t.csv", "sequence,y\n12,1\nAC,2\n");
  options.targets = {"y"};
  EXPECT_EQ(strings_of(read_data(table, options).samples), (std::vector<std::string>{"12", "AC"}));
  const Schema named{SampleKind::table, 0, {{"sequence", ColumnKind::text, {}}}};
  const Samples wrapped = apply_schema(parse(">a\nAC\n").samples, named);
  EXPECT_EQ(schema_of(wrapped), named);
  EXPECT_EQ(strings_of(wrapped.table().others()[0].values), (std::vector<std::string>{"AC"}));
  InputStream numbers("n.csv", "1,2\n");
  EXPECT_ERROR(read_data(numbers, {.schema = named}), DataError, "column 'sequence' is missing");
}

TEST(FastaFile, RealSequences) {
  const std::string path = real_data("splice-celegans/C_elegans_acc_100000.fasta.bz2");
  if (path.empty()) {
    GTEST_SKIP() << "the real data are absent";
  }
  // The first megabyte, so that the test is quick.
  InputStream whole(path);
  std::string head(std::size_t{1} << 20, '\0');
  whole.read_exactly(head.data(), head.size(), "the head");
  const DataFile file = parse(head.substr(0, head.rfind('>')), {.targets = {"label"}});
  ASSERT_GT(file.samples.size(), 2000);
  for (const std::string& sequence : strings_of(file.samples)) {
    ASSERT_EQ(sequence.size(), strings_of(file.samples.slice({0, 1}))[0].size());
  }
  for (const double label : file.targets->columns()[0].values) {
    ASSERT_TRUE(label == 1 || label == -1);
  }
}

}  // namespace
}  // namespace mercer
