#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/data/samples.h"

namespace mercer {

Table::Table(Samples numeric, std::vector<std::string> numeric_names, std::vector<Column> others, Index indicators,
             std::vector<std::string> indicator_sources)
    : numeric_(std::move(numeric)),
      numeric_names_(std::move(numeric_names)),
      others_(std::move(others)),
      indicators_(indicators),
      indicator_sources_(std::move(indicator_sources)) {
  if (!numeric_.is_numeric()) {
    throw InvalidArgument("the numeric block of a table is of kind '" + std::string(to_string(numeric_.kind())) +
                          "': it must be dense or sparse");
  }
  if (!numeric_names_.empty() && static_cast<Index>(numeric_names_.size()) != numeric_.columns()) {
    throw InvalidArgument("a table has " + std::to_string(numeric_.columns()) + " numeric columns but " +
                          std::to_string(numeric_names_.size()) + " names for them");
  }
  if (indicators_ < 0 || indicators_ > numeric_.columns()) {
    throw InvalidArgument("a table of " + std::to_string(numeric_.columns()) + " numeric columns cannot have " +
                          std::to_string(indicators_) + " indicators among them");
  }
  if (!indicator_sources_.empty() && static_cast<Index>(indicator_sources_.size()) != indicators_) {
    throw InvalidArgument("a table of " + std::to_string(indicators_) + " indicators names the columns of " +
                          std::to_string(indicator_sources_.size()));
  }
  // A table without numeric columns takes its length from the others.
  const bool has_numeric = numeric_.columns() > 0 || others_.empty();
  size_ = has_numeric ? numeric_.size() : others_.front().values.size();
  std::unordered_set<std::string_view> names;
  const auto take_name = [&](const std::string& name) {
    if (!names.insert(name).second) {
      throw InvalidArgument("two columns of a table are named '" + name + "': names must be unique");
    }
  };
  for (const std::string& name : numeric_names_) {
    take_name(name);
  }
  for (const Column& column : others_) {
    take_name(column.name);
    if (column.values.size() != size_) {
      throw InvalidArgument("column '" + column.name + "' has " + std::to_string(column.values.size()) +
                            " rows where the table has " + std::to_string(size_));
    }
  }
  if (!has_numeric && numeric_.size() != size_) {
    numeric_ = Samples(DenseRows<double>{nullptr, size_, 0, 0, 1});
  }
}

Table Table::with(Samples numeric, std::vector<Column> others) const {
  return Table(std::move(numeric), numeric_names_, std::move(others), indicators_, indicator_sources_);
}

Samples Table::numbers() const {
  return indicators_ == 0 ? numeric_ : first_columns(numeric_, numeric_.columns() - indicators_);
}

Samples make_table(Table table) { return Samples(std::make_shared<const Table>(std::move(table))); }

}  // namespace mercer
