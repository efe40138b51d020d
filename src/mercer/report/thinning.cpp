#include "mercer/report/thinning.h"

#include <algorithm>
#include <numeric>

#include "mercer/base/random.h"

namespace mercer {

namespace {

constexpr std::uint64_t thinning_stream = 0x7265706f7274;

}  // namespace

std::vector<Index> shown_rows(Index rows, Index most, std::uint64_t seed) {
  if (rows <= most) {
    std::vector<Index> all(rows);
    std::iota(all.begin(), all.end(), Index{0});
    return all;
  }
  RandomStream random(seed, thinning_stream);
  std::vector<Index> drawn = sample_without_replacement(random, rows, most);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

std::optional<Thinned> thinned_note(Index shown, Index of) {
  return shown < of ? std::optional(Thinned{shown, of}) : std::nullopt;
}

}  // namespace mercer
