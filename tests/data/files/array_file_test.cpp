// .npy and idx files.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/idx_file.h"
#include "mercer/data/files/npy_file.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// A .npy file made by hand, independent of the writer.
std::string npy(const std::string& descr, const std::string& order, const std::string& shape, const std::string& data,
                int version = 1) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int k = 0; k < (version == 1 ? 2 : 4); ++k) {
    file += static_cast<char>(header.size() >> 8 * k);
  }
  return file + header + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values, bool swapped = false) {
  std::string bytes;
  for (const T value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof(T));
    bytes += swapped ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

DataFile parse(const std::string& bytes, const ReadOptions& options = {}) {
  InputStream stream("t.npy", bytes);
  return read_data(stream, options);
}

std::string error_of(const std::string& bytes) {
  return message_of<DataError>([&] { parse(bytes); });
}

std::vector<double> values_of(const DataFile& file) {
  const auto& rows = file.samples.as<DenseRows<double>>();
  std::vector<double> values;
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      values.push_back(rows(i, j));
    }
  }
  return values;
}

TEST(NpyFile, EveryTypeAndOrder) {
  const std::vector<double> expected{1, 2, 3, 4, 5, 6};
  const auto check = [&]<class T>(const std::string& code, T) {
    const std::vector<T> values{1, 2, 3, 4, 5, 6};
    for (const int version : {1, 2, 3}) {
      EXPECT_EQ(values_of(parse(npy("<" + code, "False", "(2, 3)", bytes_of(values), version))), expected) << code;
    }
    EXPECT_EQ(values_of(parse(npy(">" + code, "False", "(2, 3)", bytes_of(values, true)))), expected) << code;
    EXPECT_EQ(values_of(parse(npy("<" + code, "True", "(3, 2)", bytes_of(values)))),
              (std::vector<double>{1, 4, 2, 5, 3, 6}));
    EXPECT_EQ(parse(npy("<" + code, "False", "(6,)", bytes_of(values))).samples.columns(), 1);
    EXPECT_EQ(parse(npy("<" + code, "False", "(3, 2, 1)", bytes_of(values))).samples.columns(), 2);
  };
  check("f8", double{});
  check("f4", float{});
  check("i1", std::int8_t{});
  check("u1", std::uint8_t{});
  check("i2", std::int16_t{});
  check("u2", std::uint16_t{});
  check("i4", std::int32_t{});
  check("u4", std::uint32_t{});
  check("i8", std::int64_t{});
  check("u8", std::uint64_t{});
  EXPECT_EQ(values_of(parse(npy("|b1", "False", "(2,)", std::string("\1\0", 2)))), (std::vector<double>{1, 0}));
  EXPECT_EQ(values_of(parse(npy("<i4", "False", "(1, 1)", bytes_of<std::int32_t>({-7})))), (std::vector<double>{-7}));
}

TEST(NpyFile, HostileHeaders) {
  const std::string data = bytes_of<double>({1, 2});
  EXPECT_NE(error_of(npy("<f8", "False", "(3,)", data)).find("incomplete"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "(1,)", data)).find("goes on"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "(1250000000,)", data)).find("incomplete"), std::string::npos);  // 10 GB
  EXPECT_NE(error_of(npy("<f8", "False", "(4611686018427387904, 4)", data)).find("no memory"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "(99999999999999999999,)", data)).find("dimension"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "(-1,)", data)).find("dimension"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "(0, 3)", "")).find("no samples"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "()", data)).find("dimensions"), std::string::npos);
  EXPECT_NE(error_of(npy("<c16", "False", "(1,)", data)).find("type '<c16'"), std::string::npos);
  EXPECT_NE(error_of(npy("|O", "False", "(1,)", data)).find("type"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "Maybe", "(2,)", data)).find("fortran_order"), std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "False", "(2,)", data, 9)).find("version 9"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12)).find("1 MiB"), std::string::npos);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(npy("<f8", "False", "(2, 2)", bytes_of<double>({1, 2, 3, nan})))
                .find("row 1, column 1 (both counted from 0)"),
            std::string::npos);
  EXPECT_NE(error_of(npy("<f8", "True", "(2, 2)", bytes_of<double>({1, 2, nan, 3})))
                .find("row 0, column 1 (both counted from 0)"),
            std::string::npos);
}

TEST(NpyFile, EveryTruncationIsRefused) {
  const std::string whole = npy("<f8", "False", "(1, 2)", bytes_of<double>({1, 2}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    InputStream stream("cut.npy", std::string_view(whole).substr(0, length));
    const std::string message = message_of<DataError>([&] { read_data(stream, {.format = FileFormat::npy}); });
    EXPECT_EQ(message.find("cut.npy: "), 0u);
  }
}

TEST(NpyFile, WrittenAndReadAgain) {
  const TemporaryFolder folder;
  Matrix<double> matrix(37, 5);
  for (Index i = 0; i < 37 * 5; ++i) {
    matrix.data()[i] = 1.0 / static_cast<double>(i + 1);
  }
  write_npy(folder.file("a.npy"), matrix.view());
  EXPECT_EQ(values_of(read_data(folder.file("a.npy"))), std::vector<double>(matrix.data(), matrix.data() + 37 * 5));
  EXPECT_EQ((read_bytes(folder.file("a.npy")).size() - 37 * 5 * 8) % 64, 0u);
  Matrix<float> single = Matrix<float>::filled(2, 2, 0.5F);
  write_npy(folder.file("b.npy"), std::as_const(single).view());
  EXPECT_EQ(values_of(read_data(folder.file("b.npy"))), std::vector<double>(4, 0.5));
  const DataFile kept = read_data(folder.file("b.npy"), {.precision = StoredPrecision::float32});
  EXPECT_EQ(kept.samples.as<DenseRows<float>>()(1, 1), 0.5F);
}

TEST(NpyFile, TargetsByNumber) {
  const std::string bytes = npy("<f8", "False", "(2, 3)", bytes_of<double>({1, 2, 3, 4, 5, 6}));
  const DataFile file = parse(bytes, {.targets = {"1"}});
  EXPECT_EQ(values_of(file), (std::vector<double>{1, 3, 4, 6}));
  EXPECT_EQ(file.targets->columns()[0].values, (std::vector<double>{2, 5}));
  EXPECT_EQ(parse(bytes, {.targets = {"-1"}}).targets->columns()[0].values, (std::vector<double>{3, 6}));
  EXPECT_ERROR(parse(bytes, {.targets = {"3"}}), DataError, "there is no column '3' to take as target");
  EXPECT_ERROR(parse(bytes, {.targets = {"name"}}), DataError, "there is no column 'name' to take as target");
  EXPECT_ERROR(parse(bytes, {.targets = {"0", "1", "2"}}), DataError, "no column is left for the inputs");
}

// A model of columns with names: arrays are read by the places of the training file.
TEST(NpyFile, PlacesStandForNames) {
  Schema schema{.kind = SampleKind::table, .numeric_columns = 2, .columns = {{.name = "c"}, {.name = "a"}}};
  schema.file_names = {"a", "y", "b", "c"};
  schema.not_inputs = {1};
  ReadOptions options{.targets = {"y"}, .targets_presence = Presence::optional, .schema = schema};
  options.target_references = References::names;
  const auto of_columns = [](int columns) {
    std::vector<double> values;
    for (int k = 0; k < 2 * columns; ++k) {
      values.push_back(k);
    }
    return npy("<f8", "False", "(2, " + std::to_string(columns) + ")", bytes_of(values));
  };
  const auto block = [](const DataFile& file) {
    return values_of(DataFile{.samples = file.samples.table().numeric()});
  };
  const DataFile all = parse(of_columns(4), options);
  EXPECT_EQ(block(all), (std::vector<double>{3, 0, 7, 4}));
  EXPECT_EQ(all.targets->columns()[0].name, "y");
  EXPECT_EQ(all.targets->columns()[0].values, (std::vector<double>{1, 5}));
  const DataFile inputs = parse(of_columns(3), options);
  EXPECT_EQ(block(inputs), (std::vector<double>{2, 0, 5, 3}));
  EXPECT_FALSE(inputs.targets.has_value());
  EXPECT_EQ(block(parse(of_columns(2), options)), (std::vector<double>{1, 0, 3, 2}));
  EXPECT_ERROR(parse(of_columns(5), options), DataError, "as many as in the training file: 4, or 3 inputs; here are 5");
  // Of frames nothing but the order of the numbers is known.
  options.schema->file_names.clear();
  options.schema->not_inputs.clear();
  EXPECT_EQ(block(parse(of_columns(2), options)), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_ERROR(parse(of_columns(3), options), DataError, "the model was fitted on a table with named columns");
  options.schema->columns[1] = {.name = "a", .kind = ColumnKind::categorical, .levels = {"u", "v"}};
  options.schema->numeric_columns = 1;
  options.schema->file_names = {"a", "c"};
  EXPECT_ERROR(parse(of_columns(2), options), DataError, "column 'a' was of kind 'categorical'");
}

TEST(IdxFile, ImagesLabelsAndHostileHeaders) {
  const TemporaryFolder folder;
  using namespace std::string_literals;
  const std::string images = "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02"s + "\1\2\3\xff";
  const std::string labels = "\0\0\x08\x01\0\0\0\x02\7\3"s;
  const DataFile file = read_data(folder.write("images", images), {.targets_file = folder.write("labels", labels)});
  EXPECT_EQ(file.format, FileFormat::idx);
  EXPECT_EQ(values_of(file), (std::vector<double>{1, 2, 3, 255}));
  EXPECT_EQ(file.targets->labels().levels, (std::vector<std::string>{"3", "7"}));
  EXPECT_EQ(values_of(parse("\0\0\x0B\x01\0\0\0\x01\xff\xfe"s)), (std::vector<double>{-2}));
  EXPECT_EQ(values_of(parse("\0\0\x0D\x01\0\0\0\x01\x3f\x80\0\0"s)), (std::vector<double>{1}));
  EXPECT_NE(error_of("\0\0\x08\x03\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff"s).find("no memory"),
            std::string::npos);
  EXPECT_NE(error_of("\0\0\x08\x01\xff\xff\xff\xff\1\2"s).find("incomplete"), std::string::npos);
  EXPECT_NE(error_of("\0\0\x08\x02\0\0\0\0\0\0\0\1"s).find("no samples"), std::string::npos);
  for (std::size_t length = 0; length < images.size(); ++length) {
    InputStream stream("cut", std::string_view(images).substr(0, length));
    EXPECT_ERROR(read_data(stream, {.format = FileFormat::idx}), DataError, "it is incomplete");
  }
  EXPECT_ERROR(read_data(folder.file("images"), {.targets_file = folder.file("images")}), DataError,
               "a file of targets must hold one column and nothing else");
  const std::string three = folder.write("three", "\0\0\x08\x01\0\0\0\x03\1\2\3"s);
  EXPECT_NE(message_of<DataError>([&] {
              read_data(folder.file("images"), {.targets_file = three});
            }).find("3 targets for 2 samples"),
            std::string::npos);
  const std::string words = folder.write("words.csv", "cat\ndog\n");
  EXPECT_EQ(read_data(folder.file("images"), {.targets_file = words}).targets->labels().levels[1], "dog");
}

TEST(IdxFile, RealFiles) {
  const std::string images = real_data("mnist/t10k-images-idx3-ubyte.gz");
  if (images.empty()) {
    GTEST_SKIP() << "MERCER_DATA is not there";
  }
  const DataFile file = read_data(images, {.targets_file = real_data("mnist/t10k-labels-idx1-ubyte.gz")});
  EXPECT_EQ(file.samples.size(), 10000);
  EXPECT_EQ(file.samples.columns(), 784);
  EXPECT_EQ(file.targets->columns()[0].values[0], 7);
}

TEST(DetectFormat, ByContentAndName) {
  const auto detect = [](const std::string& name, const std::string& bytes) {
    InputStream stream(name, bytes);
    return detect_format(stream);
  };
  EXPECT_EQ(detect("x", "1 1:2\n"), FileFormat::libsvm);
  EXPECT_EQ(detect("x", "# c\n\n1\n-1 qid:1 3:2\n"), FileFormat::libsvm);
  EXPECT_EQ(detect("x", "1 2\n3 4\n"), FileFormat::csv);
  EXPECT_EQ(detect("x", "12:30 1:2\n"), FileFormat::csv);
  EXPECT_EQ(detect("x.csv", "1 1:2\n"), FileFormat::csv);
  EXPECT_EQ(detect("a.b/x.svm", "1\n"), FileFormat::libsvm);
  EXPECT_NE(message_of<DataError>([&] { detect("x", "PK\x03\x04..."); }).find("zip"), std::string::npos);
  EXPECT_NE(message_of<DataError>([&] {
              detect("x", std::string("\x7f"
                                      "ELF\0\0",
                                      6));
            }).find("binary"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { detect("x", ""); }).find("empty"), std::string::npos);
}

}  // namespace
}  // namespace mercer
