#include "mercer/data/files/text_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/tar_reader.h"
#include "mercer/data/files/text_lines.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<std::string> strings_of(const DataFile& file) {
  const auto& rows = file.samples.as<StringRows>();
  std::vector<std::string> strings;
  for (Index i = 0; i < rows.rows; ++i) {
    strings.emplace_back(rows[i]);
  }
  return strings;
}

void add(const TemporaryFolder& folder, const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(folder.file(path)).parent_path());
  folder.write(path, bytes);
}

bool folder_error_has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// One member of a ustar archive, padded.
std::string member(const std::string& name, const std::string& bytes, char type = '0', const std::string& prefix = {}) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "%011zo", bytes.size());
  header.replace(124, 11, digits.data());
  header[156] = type;
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  header.replace(345, prefix.size(), prefix);
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) {
    sum += static_cast<unsigned char>(c);
  }
  std::snprintf(digits.data(), digits.size(), "%06o", sum);
  header.replace(148, 8, std::string(digits.data(), 6) + std::string("\0 ", 2));
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

std::string pax(const std::string& key, const std::string& value) {
  const std::string body = " " + key + "=" + value + "\n";
  std::size_t length = body.size() + 1;
  while (std::to_string(length).size() + body.size() != length) {
    ++length;
  }
  return member("pax", std::to_string(length) + body, 'x');
}

const std::string archive_end(1024, '\0');

DataFile read_archive(const std::string& bytes, const std::string& folder = {}) {
  InputStream stream("a.tar", bytes);
  return read_text_archive(stream, folder, {});
}

TEST(TextFolder, FoldersAreClasses) {
  const TemporaryFolder folder;
  add(folder, "set/b/2", std::string("nul\0byte\xff", 9));
  add(folder, "set/b/10", "ten");
  add(folder, "set/a/deep/x", "below");
  add(folder, "set/a/1", "");
  add(folder, "set/.git/config", "hidden");
  add(folder, "set/a/.DS_Store", "hidden");
  for (const char* path : {"set", "set/", ""}) {
    const DataFile file = read_data(folder.file(path), {.targets = {"class"}});
    EXPECT_EQ(file.format, FileFormat::texts);
    EXPECT_EQ(strings_of(file), (std::vector<std::string>{"", "below", "ten", std::string("nul\0byte\xff", 9)}));
    EXPECT_EQ(file.targets->columns()[0].name, "class");
    EXPECT_EQ(file.targets->labels().levels, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(file.targets->labels().codes, (std::vector<std::int32_t>{0, 0, 1, 1}));
  }
  const DataFile plain = read_data(folder.file("set/b"));
  EXPECT_EQ(strings_of(plain).size(), 2U);
  EXPECT_FALSE(plain.targets);
  add(folder, "set/README", "about");
  EXPECT_EQ(read_data(folder.file("set")).samples.size(), 4);
}

TEST(TextFolder, FoldersOfFoldersAndNothing) {
  const TemporaryFolder folder;
  add(folder, "news/train/a/1", "x");
  add(folder, "news/test/a/1", "y");
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_data(folder.file("")); }), "test, train"));
  EXPECT_EQ(strings_of(read_data(folder.file("news/test"))), (std::vector<std::string>{"y"}));
  std::filesystem::create_directories(folder.file("empty/a"));
  EXPECT_ERROR(read_data(folder.file("empty")), DataError,
               "there are no texts; expected one folder per class with a file per text");
  EXPECT_ERROR(read_data(folder.file("news"), {.format = FileFormat::csv}), IoError, "is a folder, not a file");
  EXPECT_ERROR(read_data(folder.file("absent/folder")), IoError, "cannot be opened: No such file or directory");
}

TEST(TextFolder, ArchivesReadLikeFolders) {
  const std::string long_name(150, 'n');
  const std::string bytes = member("./news/", "", '5') + member("news/train/b/2", std::string(1500, 'q')) +
                            member("news/train/a/1", "one") + member("1", "prefixed", '0', "news/train/a") +
                            member("news/train/a/link", "", '2') + pax("path", "news/train/a/" + long_name) +
                            member("short", "pax") +
                            member("././@LongLink", "news/train/c/" + long_name + std::string(1, '\0'), 'L') +
                            member("short", "gnu") + member("news/test/a/3", "three") + archive_end;
  const DataFile train = read_archive(bytes, "news/train");
  EXPECT_EQ(strings_of(train), (std::vector<std::string>{"one", "prefixed", "pax", std::string(1500, 'q'), "gnu"}));
  EXPECT_EQ(train.targets->labels().codes, (std::vector<std::int32_t>{0, 0, 0, 1, 2}));
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_archive(bytes); }), "a.tar/news/test"));
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_archive(bytes, "news/dev"); }), "news/dev"));
  const TemporaryFolder folder;
  const std::string path = folder.write("a.tar", bytes);
  EXPECT_EQ(strings_of(read_data(path + "/news/test")), (std::vector<std::string>{"three"}));
  EXPECT_ERROR(read_data(folder.write("a.csv", "1,2\n") + "/x"), IoError, "is neither a folder nor a");
  EXPECT_EQ(read_data(folder.write("b.bin", member("b/1", "x") + member("a/1", "y"))).format, FileFormat::texts);
}

TEST(TextFolder, FilesStoredWithoutTheirHolesAreRefused) {
  for (const std::string& first : {member("a/1", "text", 'S'), pax("GNU.sparse.major", "1") + member("a/1", "text")}) {
    const std::string bytes = first + member("a/2", "more") + archive_end;
    EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_archive(bytes); }), "--sparse"));
  }
}

TEST(TextFolder, HostileArchives) {
  const std::string good = member("a/1", std::string(700, 'x')) + member("b/1", "y");
  for (std::size_t length = 0; length < good.size(); length += 37) {
    try {
      read_archive(good.substr(0, length));
    } catch (const DataError&) {
    }
  }
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_archive(good.substr(0, 900)); }), "ends within 'a/1'"));
  std::string damaged = good;
  damaged[1024 + 512 + 3] = 'Q';
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_archive(damaged); }), "checksum"));
  // A member that claims eight exabytes, in base 256.
  std::string huge = member("a/1", "x");
  huge.replace(124, 12, std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12));
  EXPECT_ERROR(read_archive(huge), DataError, "archive, behind 0 members");
  EXPECT_ERROR(read_archive(member("pax", "999999 path=x\n", 'x') + good), DataError, "archive, behind 1 members");
  EXPECT_ERROR(read_archive(member("pax", "5 pat", 'x') + good), DataError, "archive, behind 1 members");
  EXPECT_ERROR(read_archive(pax("size", "99999999999999999999") + good), DataError, "archive, behind 1 members");
  std::string deep;
  for (int i = 0; i < 2000; ++i) {
    deep += "d/";
  }
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_archive(pax("path", deep + "x") + member("s", "t")); }),
                               "deep"));
}

TEST(TextFolder, RealNews) {
  const std::string path = real_data("20news/20news-4class.tar.xz");
  if (path.empty()) {
    GTEST_SKIP() << "the real data are absent";
  }
  const DataFile test = read_data(path + "/20news-bydate-test");
  EXPECT_EQ(test.samples.size(), 1353);
  EXPECT_EQ(test.targets->labels().levels.size(), 4U);
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { read_data(path); }), "20news-bydate-train"));
}

TEST(TextLines, OneTextPerLine) {
  const auto lines = [](const std::string& text, const ReadOptions& options = {}) {
    InputStream stream("t.txt", text);
    ReadOptions chosen = options;
    chosen.format = FileFormat::lines;
    return read_data(stream, chosen);
  };
  EXPECT_EQ(strings_of(lines("\xEF\xBB\xBF"
                             "a b\r\n\n>c\rd\nlast\r")),
            (std::vector<std::string>{"a b", "", ">c\rd", "last"}));
  // A carriage return on the last byte of a block, before a line end and before other text.
  for (const std::string next : {"\nb", "b"}) {
    const std::string front((std::size_t{1} << 20) - 1, 'x');
    const std::vector<std::string> found = strings_of(lines(front + "\r" + next));
    EXPECT_EQ(found, next == "b" ? std::vector<std::string>{front + "\rb"} : (std::vector<std::string>{front, "b"}));
  }
  EXPECT_ERROR(lines(""), DataError, "the file is empty; there are no samples in it");
  EXPECT_TRUE(folder_error_has(message_of<DataError>([&] { lines("a\n", {.targets = {"y"}}); }), "--targets-file"));
  const TemporaryFolder folder;
  EXPECT_EQ(lines("a\nb\n", {.targets_file = folder.write("y.csv", "yes\nno\n")}).targets->labels().codes,
            (std::vector<std::int32_t>{1, 0}));
}

}  // namespace
}  // namespace mercer
