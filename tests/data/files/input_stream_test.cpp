#include "mercer/data/files/input_stream.h"

#include <bzlib.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <zlib.h>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/atomic_file.h"
#include "mercer/data/files/data_file.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::string gzip(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&state, text.size()), 0);
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<unsigned>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<unsigned>(out.size());
  deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  return out;
}

std::string bzip2(const std::string& text) {
  auto size = static_cast<unsigned>(text.size() + text.size() / 100 + 700);
  std::string out(size, 0);
  BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()), static_cast<unsigned>(text.size()), 9, 0,
                           0);
  out.resize(size);
  return out;
}

std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), 0);
  std::size_t position = 0;
  lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &position, out.size());
  out.resize(position);
  return out;
}

std::string read_all(InputStream& stream) {
  std::string text;
  char block[1000];
  while (const std::size_t count = stream.read(block, sizeof(block))) {
    text.append(block, count);
  }
  return text;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    text += std::to_string(i * 7919 % 10007) + "\n";
  }
  return text;
}

TEST(InputStream, ReadsEveryCompressionFromFilesAndMemory) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  const std::string more = text + "tail";
  const std::vector<std::pair<std::string, std::string>> cases{{text, text},
                                                               {gzip(text), text},
                                                               {bzip2(text), text},
                                                               {xz(text), text},
                                                               {gzip(text) + gzip("tail"), more},
                                                               {gzip(text) + std::string(3000, '\0'), text},
                                                               {bzip2(text) + bzip2("tail"), more},
                                                               {xz(text) + xz("tail"), more}};
  for (const auto& [packed, expected] : cases) {
    InputStream file(folder.write("data", packed));
    EXPECT_EQ(file.peek(5), text.substr(0, 5));
    EXPECT_EQ(file.is_plain_file(), packed == text);
    EXPECT_TRUE(read_all(file) == expected);
    InputStream memory("memory", packed);
    EXPECT_EQ(memory.peek(70000), text.substr(0, 70000));
    EXPECT_EQ(memory.peek(3), text.substr(0, 3));
    EXPECT_TRUE(read_all(memory) == expected);
  }
}

TEST(InputStream, TruncatedAndDamagedStreamsAreRefused) {
  const std::string text = long_text().substr(0, 2000);
  for (const std::string& packed : {gzip(text), bzip2(text), xz(text)}) {
    for (std::size_t length = 6; length < packed.size(); ++length) {
      InputStream stream("cut.gz", std::string_view(packed).substr(0, length));
      const std::string message = message_of<DataError>([&] { read_all(stream); });
      EXPECT_EQ(message.find("cut.gz: "), 0u);
    }
    for (std::size_t place = 10; place < packed.size(); place += 7) {
      std::string damaged = packed;
      damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
      InputStream stream("bad", damaged);
      try {
        read_all(stream);  // bits that no checksum covers may pass
      } catch (const DataError&) {
      }
    }
    const std::string longer = packed + "garbage";
    InputStream tail("tail", longer);
    EXPECT_ERROR(read_all(tail), DataError, "the file is incomplete or damaged");
  }
}

TEST(InputStream, ABombOfZerosIsRefusedEarly) {
  std::string bomb = gzip(std::string(64 << 20, '\0'));
  for (int k = 0; k < 6; ++k) {
    bomb += bomb;  // 4 GiB of zeros in a few megabytes
  }
  InputStream stream("bomb.csv.gz", bomb);
  EXPECT_ERROR(read_data(stream), DataError, "this is a binary file of no known format");
  InputStream forced("bomb", bomb);
  EXPECT_ERROR(read_data(forced, {.format = FileFormat::csv}), DataError,
               "bomb:1:1: a NUL byte: this is not a text file");
}

TEST(InputStream, FilesThatCannotBeOpened) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<IoError>([&] { InputStream stream(folder.file("none")); }).find(folder.file("none")), 0u);
  EXPECT_ERROR(InputStream stream(folder.file("")), IoError, "is a folder, not a file");
  EXPECT_ERROR(read_data(folder.write("empty", "")), DataError, "the file is empty; there are no samples in it");
}

TEST(AtomicFile, AppearsCompleteOrNotAtAll) {
  const TemporaryFolder folder;
  const std::string path = folder.write("out", "old");
  {
    AtomicFile file(path);
    file.write(std::string(3 << 20, 'x'));
    EXPECT_EQ(folder.entries(), 2u);
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(folder.entries(), 1u);
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(read_bytes(path), "old");
    file.commit();
  }
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(folder.entries(), 1u);
  std::filesystem::create_symlink(path, folder.file("link"));
  {
    AtomicFile file(folder.file("link"));
    file.write("through");
    file.commit();
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(read_bytes(path), "through");
  EXPECT_ERROR(AtomicFile(folder.file("no/such/folder")), IoError, "cannot be written: No such file or directory");
  EXPECT_ERROR(AtomicFile(folder.file("")), IoError, "cannot be written: it is a folder");
  AtomicFile null("/dev/null");
  null.write("x");
  null.commit();
}

}  // namespace
}  // namespace mercer
