#include "mercer/select/search/data_fingerprint.h"

#include <bit>
#include <cstdio>

namespace mercer {

namespace {

class Fingerprint {
 public:
  void add(std::uint64_t word) { state_ = std::rotl(state_ ^ word, 29) * 0x9E3779B97F4A7C15ULL; }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(float value) { add(static_cast<double>(value)); }
  void add(std::int32_t value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) {
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
  }
  template <class T>
  void add_all(std::span<const T> values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) {
      add(value);
    }
  }

  template <class T>
  void add(const DenseRows<T>& rows) {
    add(rows.columns);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index j = 0; j < rows.columns; ++j) {
        add(rows(i, j));
      }
    }
  }
  template <class T>
  void add(const SparseRows<T>& rows) {
    add(rows.columns);
    for (Index i = 0; i < rows.rows; ++i) {
      add(rows.offsets[i + 1] - rows.offsets[i]);
      for (std::int64_t e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e) {
        add(rows.column_numbers[e]);
        add(rows.values[e]);
      }
    }
  }
  void add(const StringRows& rows) {
    for (Index i = 0; i < rows.rows; ++i) {
      add(rows[i]);
    }
  }
  void add(const SetRows& rows) {
    for (Index i = 0; i < rows.rows; ++i) {
      add_all(rows[i]);
    }
  }
  void add(const BagRows& rows) {
    add(rows.points.columns);
    for (Index i = 0; i < rows.rows; ++i) {
      add(rows.offsets[i + 1] - rows.offsets[i]);
      for (std::int64_t p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
        for (Index j = 0; j < rows.points.columns; ++j) {
          add(rows.points(p, j));
        }
      }
    }
  }
  void add(const GraphRows& rows) {
    for (Index i = 0; i < rows.rows; ++i) {
      add(rows.vertex_offsets[i + 1] - rows.vertex_offsets[i]);
      for (std::int64_t v = rows.vertex_offsets[i]; v < rows.vertex_offsets[i + 1]; ++v) {
        add(rows.vertex_labels == nullptr ? -1 : rows.vertex_labels[v]);
        add(rows.edge_offsets[v + 1] - rows.edge_offsets[v]);
        for (std::int64_t e = rows.edge_offsets[v]; e < rows.edge_offsets[v + 1]; ++e) {
          add(rows.neighbors[e]);
          add(rows.edge_labels == nullptr ? -1 : rows.edge_labels[e]);
        }
      }
    }
  }
  void add(const CategoryRows& rows) {
    for (Index i = 0; i < rows.rows; ++i) {
      add(rows.codes[i] < 0 ? std::string_view() : std::string_view(rows.levels[rows.codes[i]]));
    }
  }
  void add(const std::shared_ptr<const Table>& table) {
    add(table->numeric());
    for (const std::string& name : table->numeric_names()) {
      add(std::string_view(name));
    }
    for (const Table::Column& column : table->others()) {
      add(std::string_view(column.name));
      add(column.values);
    }
  }
  void add(const Samples& samples) {
    add(samples.size());
    add(static_cast<std::int64_t>(samples.kind()));
    std::visit([&](const auto& rows) { add(rows); }, samples.rows());
  }

  std::uint64_t value() const {
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0x6D65726365720001ULL;
};

}  // namespace

std::string data_fingerprint(const TrainingData& data, std::span<const std::int32_t> groups) {
  Fingerprint fingerprint;
  fingerprint.add(data.samples);
  if (const Matrix<double>* const offsets = data.samples.offsets()) {
    fingerprint.add_all(std::span<const double>(offsets->data(), offsets->rows() * offsets->columns()));
  }
  for (const TargetColumn& column : data.targets.columns()) {
    fingerprint.add(std::string_view(column.name));
    fingerprint.add_all(std::span<const double>(column.values));
    fingerprint.add_all(std::span<const std::int32_t>(column.labels.codes));
    for (const std::string& level : column.labels.levels) {
      fingerprint.add(std::string_view(level));
    }
  }
  fingerprint.add_all(std::span<const double>(data.weights));
  fingerprint.add_all(std::span<const double>(data.noise));
  fingerprint.add_all(groups);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(fingerprint.value()));
  return text;
}

}  // namespace mercer
