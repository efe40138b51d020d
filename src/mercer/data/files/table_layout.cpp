#include "mercer/data/files/table_layout.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "mercer/base/text.h"

namespace mercer {

Notation notation_of(const std::string& column, const std::optional<Schema>& schema) {
  if (schema) {
    for (const SchemaColumn& described : schema->columns) {
      if ((described.part == DatePart::none ? described.name : described.dates) == column) {
        return described.notation;
      }
    }
  }
  return Notation::plain;
}

namespace {

std::optional<std::size_t> find_column(std::string_view reference, std::span<const std::string> names) {
  if (const auto named = std::ranges::find(names, reference); named != names.end()) {
    return static_cast<std::size_t>(named - names.begin());
  }
  const auto count = static_cast<Index>(names.size());
  if (const auto number = parse_integer(reference); number && *number >= -count && *number < count) {
    return static_cast<std::size_t>(*number < 0 ? *number + count : *number);
  }
  return std::nullopt;
}

struct NumberRange {
  Index begin = 0;
  Index end = 0;
};

std::optional<NumberRange> number_range(std::string_view first, std::string_view last) {
  const auto begin = parse_integer(first);
  const auto end = parse_integer(last);
  return begin && end && *begin >= 0 && *begin < *end ? std::optional(NumberRange{*begin, *end}) : std::nullopt;
}

// "when" of "when_weekday"; empty for what is no such name.
std::string dates_of_part(const std::string& name) {
  for (const Word<DatePart>& part : words_of(DatePart{})) {
    const std::string ending = "_" + std::string(part.text);
    if (part.value != DatePart::none && name.ends_with(ending)) {
      return name.substr(0, name.size() - ending.size());
    }
  }
  return {};
}

}  // namespace

std::vector<std::size_t> find_columns(const std::string& reference, std::span<const std::string> names) {
  if (const auto one = find_column(reference, names)) {
    return {*one};
  }
  const auto count = static_cast<Index>(names.size());
  std::vector<std::size_t> found;
  for (std::size_t colon = reference.find(':'); colon != reference.npos; colon = reference.find(':', colon + 1)) {
    const std::string_view first = trim(std::string_view(reference).substr(0, colon));
    const std::string_view last = trim(std::string_view(reference).substr(colon + 1));
    if (const auto range = number_range(first, last); range && range->end <= count) {
      for (Index c = range->begin; c < range->end; ++c) {
        found.push_back(static_cast<std::size_t>(c));
      }
      return found;
    }
    const auto begin = std::ranges::find(names, first);
    const auto end = std::ranges::find(names, last);
    if (begin != names.end() && end != names.end() && begin <= end) {
      for (auto name = begin; name <= end; ++name) {
        found.push_back(static_cast<std::size_t>(name - names.begin()));
      }
      return found;
    }
  }
  return found;
}

namespace {

bool is_in_range(std::string_view reference, const std::string& name, std::span<const std::string> before) {
  const auto number = static_cast<Index>(before.size());
  for (std::size_t colon = reference.find(':'); colon != reference.npos; colon = reference.find(':', colon + 1)) {
    const std::string_view first = trim(reference.substr(0, colon));
    const std::string_view last = trim(reference.substr(colon + 1));
    const auto range = number_range(first, last);
    if (range && range->begin <= number && number < range->end) {
      return true;
    }
    const auto stands = [&](std::string_view end) { return std::ranges::find(before, end) != before.end(); };
    if ((first == name || stands(first)) && !stands(last)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool means_column(std::span<const std::string> references, const std::string& name,
                  std::span<const std::string> before) {
  return std::ranges::any_of(references, [&](const std::string& reference) {
    return reference == name || parse_integer(reference) == static_cast<long long>(before.size()) ||
           is_in_range(reference, name, before);
  });
}

void leave_out_unneeded(TableLayout& layout, const ReadOptions& options) {
  if (options.needed.empty() || options.schema) {
    return;
  }
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    numbers.emplace(layout.names[c], c);
  }
  std::vector<char> needed(layout.names.size(), 0);
  for (const std::string& reference : options.needed) {
    const auto named = numbers.find(reference);
    // A number may be a name, too: subscripts know which they mean, and both columns stay for them.
    std::vector<std::size_t> found =
        named != numbers.end() ? std::vector{named->second} : find_columns(reference, layout.names);
    const auto place = parse_integer(reference);
    if (place && *place >= 0 && *place < static_cast<long long>(layout.names.size())) {
      found.push_back(static_cast<std::size_t>(*place));
    }
    if (found.empty() && options.dates == Dates::parts) {
      found = find_columns(dates_of_part(reference), layout.names);
    }
    const auto is_input = [&](std::size_t c) { return layout.roles[c] == ColumnRole::input; };
    if (std::ranges::none_of(found, is_input)) {
      return;  // who asks for such a column can say so best while the others are there
    }
    for (const std::size_t c : found) {
      needed[c] = 1;
    }
  }
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    if (layout.roles[c] == ColumnRole::input && needed[c] == 0) {
      layout.roles[c] = ColumnRole::ignored;
    }
  }
}

}  // namespace mercer
