// What a file is by its beginning alone, for those who would replace it: a model may give way to another model, anything
// else may be somebody's data.
#pragma once

#include <string>

namespace mercer {

enum class FileContent {
  nothing,  ///< an empty file
  model,    ///< a model file of this library, or an archive of them that the Python package wrote
  other,    ///< anything else, and what cannot be read
};

/// Looks at the first bytes of a file, compressed or not: it may be cut off or damaged behind them.
FileContent look_at_content(const std::string& path);

}  // namespace mercer
