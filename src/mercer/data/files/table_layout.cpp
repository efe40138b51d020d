#include "mercer/data/files/table_layout.h"

#include <string_view>
#include <unordered_set>

namespace mercer {

void leave_out_unneeded(TableLayout& layout, const ReadOptions& options) {
  if (options.needed.empty() || options.schema) {
    return;
  }
  std::unordered_set<std::string_view> missing(options.needed.begin(), options.needed.end());
  const std::unordered_set<std::string_view> needed = missing;
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    if (layout.roles[c] == ColumnRole::input) {
      missing.erase(layout.names[c]);
    }
  }
  if (!missing.empty()) {
    return;  // who asks for such a column can say so best while the others are there
  }
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    if (layout.roles[c] == ColumnRole::input && !needed.contains(layout.names[c])) {
      layout.roles[c] = ColumnRole::ignored;
    }
  }
}

}  // namespace mercer
