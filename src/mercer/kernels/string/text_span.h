// A place in a text.
#pragma once

#include <cstdint>

namespace mercer {

/// Bytes [begin, end) of the text.
struct TextSpan {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

}  // namespace mercer
