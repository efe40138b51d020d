#include "mercer/data/files/object_column.h"

#include <limits>

#include "mercer/base/text.h"

namespace mercer {

ObjectColumn::ObjectColumn(ColumnKind kind, std::vector<std::string> levels)
    : kind_(kind), fixed_(true), levels_(std::move(levels)) {
  for (std::size_t c = 0; c < levels_.size(); ++c) {
    codes_.emplace(levels_[c], static_cast<std::int32_t>(c));
  }
}

std::int32_t ObjectColumn::code(std::string_view word) {
  const auto next = codes_.size();
  if (next >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw DataError("a column holds more than 2147483646 different words");
  }
  const auto [place, fresh] = codes_.try_emplace(std::string(word), static_cast<std::int32_t>(next));
  if (fresh && !fixed_) {
    levels_.emplace_back(word);
  }
  return place->second;
}

void ObjectColumn::add_set(std::vector<std::int32_t> members) {
  sets_.push_back(std::move(members));
  ++size_;
}

void ObjectColumn::add_bag(std::vector<std::vector<double>> points) {
  if (!points.empty()) {
    dimension_ = static_cast<Index>(points.front().size());
  }
  bags_.push_back(std::move(points));
  ++size_;
}

void ObjectColumn::add_graph(Graph graph) {
  graphs_.push_back(std::move(graph));
  ++size_;
}

void ObjectColumn::add_empty() {
  if (kind_ == ColumnKind::set) {
    add_set({});
  } else if (kind_ == ColumnKind::bag) {
    add_bag({});
  } else {
    add_graph({});
  }
}

Samples ObjectColumn::samples() const {
  switch (kind_) {
    case ColumnKind::set:
      return make_sets(sets_);
    case ColumnKind::bag:
      return make_bags(bags_);
    default:
      return make_graphs(graphs_, EdgeDirection::directed);
  }
}

namespace {

std::int32_t numbered_member(std::string_view member, const FilePlace& place) {
  constexpr long long most = std::numeric_limits<std::int32_t>::max() - 1;
  const auto number = parse_integer(member);
  if (!number || *number < 0 || *number > most) {
    throw DataError(place, "the member '" + std::string(member.substr(0, 40)) +
                               "' of a set is no whole number from 0 on, as in the data that the model was fitted on");
  }
  return static_cast<std::int32_t>(*number);
}

}  // namespace

void add_set_field(ObjectColumn& column, std::string_view field, const FilePlace& place) {
  std::vector<std::int32_t> members;
  while (!field.empty()) {
    const auto end = field.find_first_of(";|");
    if (const std::string_view member = trim(field.substr(0, end)); !member.empty()) {
      members.push_back(column.takes_numbers_only() ? numbered_member(member, place) : column.code(member));
    }
    field.remove_prefix(end == field.npos ? field.size() : end + 1);
  }
  column.add_set(std::move(members));
}

}  // namespace mercer
