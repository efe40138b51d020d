// Any bytes, cut at '#', as the files of a graph set: graphs whose edges stay within them, or a DataError.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/data/files/tu_graphs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const mercer::Run run{{.threads = 1}};
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::array<std::unique_ptr<mercer::InputStream>, 5> parts;
  try {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto end = text.find('#');
      if (p < 2 || !text.empty()) {
        parts[p] = std::make_unique<mercer::InputStream>("part " + std::to_string(p), text.substr(0, end));
      }
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    const mercer::DataFile file =
        mercer::read_tu_graphs({parts[0].get(), parts[1].get(), parts[2].get(), parts[3].get(), parts[4].get()}, run);
    const auto& graphs = file.samples.as<mercer::GraphRows>();
    if (file.targets && file.targets->size() != graphs.rows) {
      std::abort();
    }
    for (mercer::Index g = 0; g < graphs.rows; ++g) {
      const mercer::Index first = graphs.vertex_offsets[g];
      const mercer::Index vertices = graphs.vertex_offsets[g + 1] - first;
      for (mercer::Index e = graphs.edge_offsets[first]; e < graphs.edge_offsets[first + vertices]; ++e) {
        if (graphs.neighbors[e] < 0 || graphs.neighbors[e] >= vertices) {
          std::abort();
        }
      }
    }
  } catch (const mercer::DataError&) {
  }
  return 0;
}
