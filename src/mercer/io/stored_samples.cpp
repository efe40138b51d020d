#include "mercer/io/stored_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"

namespace mercer {

namespace {

using Json = nlohmann::json;

// ---- Writing ------------------------------------------------------------------------------------------------------

template <class T>
void add(TensorFile& file, const std::string& name, std::vector<T> values) {
  auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  file.tensors.emplace(name, tensor_of(owner->data(), {static_cast<Index>(owner->size())}, owner));
}

// Offsets that begin at 0.
std::vector<std::int64_t> rebased(const std::int64_t* offsets, Index count) {
  std::vector<std::int64_t> result(offsets, offsets + count);
  const std::int64_t first = result.front();
  for (std::int64_t& offset : result) {
    offset -= first;
  }
  return result;
}

template <class T>
void add_rows(TensorFile& file, const std::string& name, const char* part, const T* elements,
              const std::int64_t* offsets, Index rows, const std::shared_ptr<const Samples>& owner) {
  file.tensors.emplace(name + part,
                       tensor_of(elements + offsets[0], {static_cast<Index>(offsets[rows] - offsets[0])}, owner));
  add(file, name + ".offsets", rebased(offsets, rows + 1));
}

void add_strings(TensorFile& file, const std::string& name, std::span<const std::string> strings) {
  std::vector<char> bytes;
  std::vector<std::int64_t> offsets = {0};
  for (const std::string& text : strings) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  add(file, name + ".bytes", std::move(bytes));
  add(file, name + ".offsets", std::move(offsets));
}

class Writer {
 public:
  Writer(const Samples& samples, std::string name, TensorFile& file)
      : owner_(std::make_shared<const Samples>(samples)), name_(std::move(name)), file_(file) {}

  Json write() {
    Json description = std::visit([this](const auto& rows) { return store(rows); }, owner_->rows());
    description["kind"] = to_string(owner_->kind());
    return description;
  }

 private:
  template <class T>
  Json store(const DenseRows<T>& rows) {
    if (rows.column_stride == 1 && (rows.row_stride == rows.columns || rows.rows <= 1)) {
      file_.tensors.emplace(name_, tensor_of(rows.data, {rows.rows, rows.columns}, owner_));
      return Json::object();
    }
    auto copy = std::make_shared<Matrix<T>>(rows.rows, rows.columns);
    for (Index i = 0; i < rows.rows; ++i) {
      for (Index j = 0; j < rows.columns; ++j) {
        (*copy)(i, j) = rows(i, j);
      }
    }
    file_.tensors.emplace(name_, tensor_of(std::as_const(*copy).data(), {rows.rows, rows.columns}, copy));
    return Json::object();
  }
  template <class T>
  Json store(const SparseRows<T>& rows) {
    add_rows(file_, name_, ".values", rows.values, rows.offsets, rows.rows, owner_);
    file_.tensors.emplace(name_ + ".columns",
                          tensor_of(rows.column_numbers + rows.offsets[0],
                                    {static_cast<Index>(rows.offsets[rows.rows] - rows.offsets[0])}, owner_));
    return {{"columns", rows.columns}};
  }
  Json store(const StringRows& rows) {
    add_rows(file_, name_, ".bytes", rows.bytes, rows.offsets, rows.rows, owner_);
    return Json::object();
  }
  Json store(const SetRows& rows) {
    add_rows(file_, name_, ".members", rows.members, rows.offsets, rows.rows, owner_);
    return Json::object();
  }
  Json store(const BagRows& rows) {
    std::vector<double> points;
    for (std::int64_t i = rows.offsets[0]; i < rows.offsets[rows.rows]; ++i) {
      for (Index j = 0; j < rows.points.columns; ++j) {
        points.push_back(rows.points(i, j));
      }
    }
    add(file_, name_ + ".points", std::move(points));
    file_.tensors.at(name_ + ".points").shape = {rows.offsets[rows.rows] - rows.offsets[0], rows.points.columns};
    add(file_, name_ + ".offsets", rebased(rows.offsets, rows.rows + 1));
    return Json::object();
  }
  Json store(const GraphRows& rows) {
    const std::int64_t first = rows.vertex_offsets[0];
    const std::int64_t vertices = rows.vertex_offsets[rows.rows] - first;
    const std::int64_t* const edges = rows.edge_offsets + first;
    const Index edge_count = edges[vertices] - edges[0];
    add(file_, name_ + ".vertex_offsets", rebased(rows.vertex_offsets, rows.rows + 1));
    add(file_, name_ + ".edge_offsets", rebased(edges, vertices + 1));
    file_.tensors.emplace(name_ + ".neighbours", tensor_of(rows.neighbors + edges[0], {edge_count}, owner_));
    if (rows.vertex_labels != nullptr) {
      file_.tensors.emplace(name_ + ".vertex_labels", tensor_of(rows.vertex_labels + first, {vertices}, owner_));
    }
    if (rows.edge_labels != nullptr) {
      file_.tensors.emplace(name_ + ".edge_labels", tensor_of(rows.edge_labels + edges[0], {edge_count}, owner_));
    }
    return Json::object();
  }
  Json store(const CategoryRows& rows) {
    file_.tensors.emplace(name_ + ".codes", tensor_of(rows.codes, {rows.rows}, owner_));
    add_strings(file_, name_ + ".levels", rows.levels);
    return Json::object();
  }
  Json store(const std::shared_ptr<const Table>& table) {
    Json description;
    description["numeric"] = store_samples(table->numeric(), name_ + ".numeric", file_);
    description["numeric_names"] = Json::array();
    for (const std::string& column : table->numeric_names()) {
      description["numeric_names"].push_back(store_text(column));
    }
    if (table->indicators() > 0) {
      description["indicators"] = table->indicators();
    }
    for (const std::string& source : table->indicator_sources()) {
      description["indicator_sources"].push_back(store_text(source));
    }
    description["others"] = Json::array();
    for (std::size_t i = 0; i < table->others().size(); ++i) {
      const Table::Column& column = table->others()[i];
      Json other = store_samples(column.values, name_ + "." + std::to_string(i), file_);
      other["name"] = store_text(column.name);
      description["others"].push_back(std::move(other));
    }
    return description;
  }

  std::shared_ptr<const Samples> owner_;
  std::string name_;
  TensorFile& file_;
};

// ---- Reading ------------------------------------------------------------------------------------------------------

class Reader {
 public:
  Reader(const Json& description, std::string name, const TensorFile& file)
      : description_(description), name_(std::move(name)), file_(file) {}

  Samples read() const {
    const Json& kind = json_member(description_, "kind");
    const std::string text = kind.is_string() ? kind.get<std::string>() : std::string("no text");
    if (text == "dense") {
      return file_.require(name_).type == TensorType::f32 ? dense<float>() : dense<double>();
    }
    if (text == "sparse") {
      return file_.require(name_ + ".values").type == TensorType::f32 ? sparse<float>() : sparse<double>();
    }
    if (text == "strings") {
      const Index rows = row_count("offsets");
      const char* const bytes = elements<char>("bytes");
      return keep(StringRows{bytes, offsets("offsets", size_of("bytes")), rows}, "bytes", "offsets");
    }
    if (text == "sets") {
      return sets();
    }
    if (text == "bags") {
      return bags();
    }
    if (text == "graphs") {
      return graphs();
    }
    if (text == "categories") {
      return categories();
    }
    if (text == "table") {
      return table();
    }
    fail("are of the unknown kind '" + text + "'");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw DataError("the samples '" + name_ + "' " + what); }
  std::string part(const std::string& suffix) const { return name_ + "." + suffix; }

  template <class T>
  const T* elements(const std::string& suffix, std::size_t dimensions = 1) const {
    return file_.elements<T>(part(suffix), dimensions);
  }
  Index size_of(const std::string& suffix) const { return file_.require(part(suffix)).shape.at(0); }
  Index row_count(const std::string& suffix) const {
    file_.require(part(suffix), TensorType::i64, 1);
    if (size_of(suffix) < 1) {
      fail("have no offsets");
    }
    return size_of(suffix) - 1;
  }
  // Offsets that start at 0, never decrease and end at `end`.
  const std::int64_t* offsets(const std::string& suffix, Index end) const {
    const std::int64_t* const values = elements<std::int64_t>(suffix);
    const Index rows = row_count(suffix);
    if (values[0] != 0 || values[rows] != end || !std::is_sorted(values, values + rows + 1)) {
      fail("have offsets ('" + suffix + "') that do not ascend from 0 to " + std::to_string(end));
    }
    return values;
  }
  // All tensors of a file share their owners; samples keep those of the tensors they view.
  template <class Rows, class... Suffix>
  Samples keep(Rows rows, const Suffix&... suffixes) const {
    using Owners = std::vector<std::shared_ptr<const void>>;
    return Samples(rows, std::make_shared<Owners>(Owners{file_.require(part(suffixes)).owner...}));
  }

  template <class T>
  Samples dense() const {
    const Tensor& tensor = file_.require(name_, tensor_type_of<T>(), 2);
    const DenseRows<T> rows{reinterpret_cast<const T*>(tensor.data), tensor.shape[0], tensor.shape[1], tensor.shape[1],
                            1};
    return Samples(rows, tensor.owner);
  }
  template <class T>
  Samples sparse() const {
    const Json& columns = json_member(description_, "columns");
    const Index count = columns.is_number_integer() ? columns.get<Index>() : -1;
    if (count < 0 || count > std::numeric_limits<std::int32_t>::max()) {
      fail("have no usable number of columns");
    }
    const T* const values = elements<T>("values");
    const std::int32_t* const numbers = elements<std::int32_t>("columns");
    if (size_of("values") != size_of("columns")) {
      fail("have " + std::to_string(size_of("values")) + " values and " + std::to_string(size_of("columns")) +
           " column numbers");
    }
    const SparseRows<T> rows{values, numbers, offsets("offsets", size_of("values")), row_count("offsets"), count};
    require_valid(rows);
    return keep(rows, "values", "columns", "offsets");
  }
  Samples sets() const {
    const SetRows rows{elements<std::int32_t>("members"), offsets("offsets", size_of("members")), row_count("offsets")};
    for (Index i = 0; i < rows.rows; ++i) {
      const auto set = rows[i];
      if ((!set.empty() && set.front() < 0) || !strictly_ascending(set)) {
        fail("have a set (row " + std::to_string(i) + ") that is not ascending from 0");
      }
    }
    return keep(rows, "members", "offsets");
  }
  Samples bags() const {
    const double* const points = elements<double>("points", 2);
    const Tensor& tensor = file_.require(part("points"));
    const BagRows rows{{points, tensor.shape[0], tensor.shape[1], tensor.shape[1], 1},
                       offsets("offsets", tensor.shape[0]),
                       row_count("offsets")};
    if (!std::all_of(points, points + tensor.count(), [](double value) { return std::isfinite(value); })) {
      fail("hold a number that is not finite");
    }
    return keep(rows, "points", "offsets");
  }
  Samples graphs() const {
    const Index vertices = row_count("edge_offsets");
    const Index edges = size_of("neighbours");
    GraphRows rows{.vertex_offsets = offsets("vertex_offsets", vertices),
                   .edge_offsets = offsets("edge_offsets", edges),
                   .neighbors = elements<std::int32_t>("neighbours"),
                   .rows = row_count("vertex_offsets")};
    rows.vertex_labels = labels("vertex_labels", vertices);
    rows.edge_labels = labels("edge_labels", edges);
    for (Index g = 0; g < rows.rows; ++g) {
      const std::int64_t order = rows.vertex_offsets[g + 1] - rows.vertex_offsets[g];
      for (std::int64_t v = rows.vertex_offsets[g]; v < rows.vertex_offsets[g + 1]; ++v) {
        const std::span<const std::int32_t> neighbors(rows.neighbors + rows.edge_offsets[v],
                                                      rows.neighbors + rows.edge_offsets[v + 1]);
        if (!neighbors.empty() &&
            (neighbors.front() < 0 || neighbors.back() >= order || !strictly_ascending(neighbors))) {
          fail("have a graph (row " + std::to_string(g) + ") whose neighbours are not ascending within it");
        }
      }
    }
    // Labels are optional; where there are none their place is taken by the neighbours'.
    return keep(rows, "vertex_offsets", "edge_offsets", "neighbours",
                rows.vertex_labels != nullptr ? "vertex_labels" : "neighbours",
                rows.edge_labels != nullptr ? "edge_labels" : "neighbours");
  }
  const std::int32_t* labels(const std::string& suffix, Index count) const {
    if (!file_.tensors.contains(part(suffix))) {
      return nullptr;
    }
    const std::int32_t* const values = elements<std::int32_t>(suffix);
    if (size_of(suffix) != count) {
      fail("have " + std::to_string(size_of(suffix)) + " " + suffix + " for " + std::to_string(count) + " places");
    }
    return values;
  }
  Samples categories() const {
    const std::int32_t* const codes = elements<std::int32_t>("codes");
    const Index levels = row_count("levels.offsets");
    const std::int64_t* const ends = offsets("levels.offsets", size_of("levels.bytes"));
    const char* const bytes = elements<char>("levels.bytes");
    std::vector<std::string> names;
    for (Index l = 0; l < levels; ++l) {
      names.emplace_back(bytes + ends[l], bytes + ends[l + 1]);
    }
    const Index rows = size_of("codes");
    if (!std::all_of(codes, codes + rows, [&](std::int32_t code) { return code >= -1 && code < levels; })) {
      fail("have a category code that names no level");
    }
    return make_categories(std::vector<std::int32_t>(codes, codes + rows), std::move(names));
  }
  Samples table() const {
    const Json& others = json_member(description_, "others");
    const Json& names = json_member(description_, "numeric_names");
    if (!others.is_array() || !names.is_array()) {
      fail("lack the names of their columns");
    }
    std::vector<std::string> numeric_names;
    for (const Json& column : names) {
      numeric_names.push_back(restore_text(column));
    }
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const Json& other = others[i];
      if (json_member(other, "kind") == "table") {
        fail("are a table within a table");
      }
      columns.push_back(
          {restore_text(json_member(other, "name")), restore_samples(other, part(std::to_string(i)), file_)});
    }
    const Json& numeric = json_member(description_, "numeric");
    if (const Json& kind = json_member(numeric, "kind"); kind != "dense" && kind != "sparse") {
      fail("have numeric columns that are not numbers");
    }
    Index indicators = 0;
    if (const auto stored = description_.find("indicators"); stored != description_.end()) {
      indicators = stored->is_number_integer() ? stored->get<Index>() : -1;
    }
    std::vector<std::string> sources;
    if (const auto stored = description_.find("indicator_sources"); stored != description_.end()) {
      if (!stored->is_array()) {
        fail("lack the names of the columns that indicators say again");
      }
      std::ranges::transform(*stored, std::back_inserter(sources), [](const Json& name) { return restore_text(name); });
    }
    return make_table(Table(restore_samples(numeric, part("numeric"), file_), std::move(numeric_names),
                            std::move(columns), indicators, std::move(sources)));
  }
  static bool strictly_ascending(std::span<const std::int32_t> values) {
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  }

  const Json& description_;
  std::string name_;
  const TensorFile& file_;
};

}  // namespace

Json store_samples(const Samples& samples, const std::string& name, TensorFile& file) {
  return Writer(samples, name, file).write();
}

Samples restore_samples(const Json& description, const std::string& name, const TensorFile& file) {
  return Reader(description, name, file).read();
}

}  // namespace mercer
