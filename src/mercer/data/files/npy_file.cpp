#include "mercer/data/files/npy_file.h"

#include <array>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/array_file.h"
#include "mercer/data/files/atomic_file.h"

namespace mercer {

namespace {

constexpr std::string_view signature = "\x93NUMPY";
constexpr std::size_t longest_npy_header = std::size_t{1} << 20;

std::string read_header(InputStream& stream) {
  std::array<char, 8> start{};
  stream.read_exactly(start.data(), start.size(), "its signature");
  if (std::string_view(start.data(), 6) != signature) {
    throw DataError({stream.name()}, "this is not a .npy file: it does not begin with the NumPy signature");
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3) {
    throw DataError({stream.name()}, "format version " + std::to_string(version) + " of .npy; 1, 2 and 3 can be read");
  }
  std::array<char, 4> bytes{};
  const std::size_t width = version == 1 ? 2 : 4;
  stream.read_exactly(bytes.data(), width, "the length of its header");
  std::size_t length = 0;
  for (std::size_t k = width; k-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[k]);
  }
  if (length > longest_npy_header) {
    throw DataError({stream.name()}, "the header announces " + std::to_string(length) +
                                         " bytes of description; at most 1 MiB is accepted, the file is damaged");
  }
  std::string header(length, ' ');
  stream.read_exactly(header.data(), length, "its header");
  return header;
}

[[noreturn]] void reject_header(const std::string& file, const std::string& what) {
  throw DataError({file}, "the header of the .npy file " + what);
}

// What follows "'key':" in the header, a Python dictionary literal.
std::string_view entry(std::string_view header, const std::string& key, const std::string& file) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + key + quote;
    const auto place = header.find(quoted);
    if (place != header.npos) {
      const std::string_view rest = trim(header.substr(place + quoted.size()));
      if (rest.starts_with(':')) {
        return trim(rest.substr(1));
      }
    }
  }
  reject_header(file, "has no entry '" + key + "'");
}

void set_type(ArrayShape& shape, std::string_view header, const std::string& file) {
  std::string_view text = entry(header, "descr", file);
  const char quote = text.empty() ? ' ' : text.front();
  const auto end = text.find(quote, 1);
  if ((quote != '\'' && quote != '"') || end == text.npos) {
    reject_header(file, "describes no plain number type; structured arrays cannot be read");
  }
  text = text.substr(1, end - 1);
  const char order = text.empty() ? ' ' : text.front();
  shape.bytes = order == '>' ? ByteOrder::big : ByteOrder::little;
  const std::string_view type = order == '<' || order == '>' || order == '|' || order == '=' ? text.substr(1) : text;
  static constexpr std::array<std::pair<std::string_view, NumberType>, 11> types{{{"b1", NumberType::boolean},
                                                                                  {"i1", NumberType::int8},
                                                                                  {"i2", NumberType::int16},
                                                                                  {"i4", NumberType::int32},
                                                                                  {"i8", NumberType::int64},
                                                                                  {"u1", NumberType::uint8},
                                                                                  {"u2", NumberType::uint16},
                                                                                  {"u4", NumberType::uint32},
                                                                                  {"u8", NumberType::uint64},
                                                                                  {"f4", NumberType::float32},
                                                                                  {"f8", NumberType::float64}}};
  for (const auto& [name, number_type] : types) {
    if (name == type) {
      shape.type = number_type;
      return;
    }
  }
  reject_header(
      file, "describes the type '" + std::string(text.substr(0, 20)) + "'; booleans, integers, f4 and f8 can be read");
}

void set_shape(ArrayShape& shape, std::string_view header, const std::string& file) {
  std::string_view text = entry(header, "shape", file);
  const auto close = text.find(')');
  if (!text.starts_with('(') || close == text.npos) {
    reject_header(file, "has no shape in parentheses");
  }
  std::vector<Index> dimensions;
  for (const std::string& part : split(text.substr(1, close - 1), ',')) {
    const std::string_view digits = trim(part);
    if (digits.empty()) {
      continue;
    }
    const auto size = parse_integer(digits.ends_with('L') ? digits.substr(0, digits.size() - 1) : digits);
    if (!size || *size < 0) {
      reject_header(file, "has the dimension '" + std::string(digits.substr(0, 30)) + "'");
    }
    dimensions.push_back(*size);
  }
  if (dimensions.empty() || dimensions.size() > 32) {
    reject_header(file, "announces " + std::to_string(dimensions.size()) + " dimensions; 1 to 32 can be read");
  }
  if (shape.storage == StorageOrder::column_major && dimensions.size() > 2) {
    reject_header(file, "announces more than two dimensions in Fortran order; save it in C order");
  }
  set_dimensions(shape, dimensions, file);
}

template <class T>
void write_matrix(const std::string& path, ConstMatrixView<T> matrix) {
  std::string description = std::string("{'descr': '<f") + (sizeof(T) == 4 ? "4" : "8") +
                            "', 'fortran_order': False, 'shape': (" + std::to_string(matrix.rows()) + ", " +
                            std::to_string(matrix.columns()) + "), }";
  // The data begin at a multiple of 64 bytes, as NumPy itself arranges it.
  const std::size_t unpadded = signature.size() + 4 + description.size() + 1;
  description.append((64 - unpadded % 64) % 64, ' ');
  description += '\n';
  AtomicFile file(path);
  file.write(signature);
  file.write(std::string_view("\x01\x00", 2));
  const std::array<char, 2> length{static_cast<char>(description.size() & 255),
                                   static_cast<char>(description.size() >> 8)};
  file.write({length.data(), 2});
  file.write(description);
  for (Index i = 0; i < matrix.rows(); ++i) {
    file.write(
        {reinterpret_cast<const char*>(matrix.row_data(i)), static_cast<std::size_t>(matrix.columns()) * sizeof(T)});
  }
  file.commit();
}

}  // namespace

DataFile read_npy(InputStream& stream, const ReadOptions& options, const Run& run) {
  const std::string header = read_header(stream);
  ArrayShape shape;
  set_type(shape, header, stream.name());
  const std::string_view order = entry(header, "fortran_order", stream.name());
  if (!order.starts_with("True") && !order.starts_with("False")) {
    reject_header(stream.name(), "must say fortran_order True or False");
  }
  shape.storage = order.starts_with("True") ? StorageOrder::column_major : StorageOrder::row_major;
  set_shape(shape, header, stream.name());
  DataFile file = read_array(stream, shape, options, run);
  file.format = FileFormat::npy;
  return file;
}

void write_npy(const std::string& path, ConstMatrixView<double> matrix) { write_matrix(path, matrix); }
void write_npy(const std::string& path, ConstMatrixView<float> matrix) { write_matrix(path, matrix); }

}  // namespace mercer
