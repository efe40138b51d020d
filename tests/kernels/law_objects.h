// Random samples that are no vectors (strings, sets, bags, graphs, trees), for the tests that run over the whole registry.
// Among them are empty ones and copies of others.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/registry.h"

namespace mercer::testing {

inline std::string law_string(RandomStream& random, Index length) {
  std::string text;
  for (Index c = 0; c < length; ++c) {
    text += "ACGT"[random.below(4)];
  }
  return text;
}

inline Samples law_strings(Index n, RandomStream& random) {
  std::vector<std::string> strings;
  for (Index i = 0; i < n; ++i) {
    strings.push_back(i % 7 == 6 ? strings[i - 3] : law_string(random, static_cast<Index>(random.below(15))));
  }
  return make_strings(strings);
}

inline Samples law_aligned_strings(Index n, RandomStream& random) {
  std::vector<std::string> strings;
  for (Index i = 0; i < n; ++i) {
    strings.push_back(i % 7 == 6 ? strings[i - 3] : law_string(random, 12));
  }
  return make_strings(strings);
}

inline Samples law_sets(Index n, RandomStream& random) {
  std::vector<std::vector<std::int32_t>> sets(n);
  for (Index i = 0; i < n; ++i) {
    auto& set = sets[i];
    if (i % 7 == 6) {
      set = sets[i - 3];
      continue;
    }
    for (auto size = random.below(7); size > 0; --size) {
      set.push_back(static_cast<std::int32_t>(random.below(12)));
    }
  }
  return make_sets(sets);
}

inline Samples law_bags(Index n, RandomStream& random) {
  std::vector<std::vector<std::vector<double>>> bags(n);
  for (Index i = 0; i < n; ++i) {
    auto& bag = bags[i];
    if (i % 7 == 6) {
      bag = bags[i - 3];
      continue;
    }
    for (auto size = 1 + random.below(5); size > 0; --size) {
      bag.push_back({random.normal(), random.normal()});
    }
  }
  return make_bags(bags);
}

inline Samples law_graphs(Index n, RandomStream& random) {
  std::vector<Graph> graphs(n);
  for (Index i = 0; i < n; ++i) {
    Graph& graph = graphs[i];
    if (i % 7 == 6) {
      graph = graphs[i - 3];
      continue;
    }
    graph.vertices = 1 + static_cast<Index>(random.below(6));
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(graph.vertices); ++v) {
      graph.vertex_labels.push_back(static_cast<std::int32_t>(random.below(3)));
      for (std::int32_t u = 0; u < v; ++u) {
        if (random.uniform() < 0.5) {
          graph.edges.push_back({u, v});
          graph.edge_labels.push_back(static_cast<std::int32_t>(random.below(2)));
        }
      }
    }
  }
  return make_graphs(graphs);
}

inline std::string law_tree(RandomStream& random, int depth) {
  const std::string label(1, "ABC"[random.below(3)]);
  if (depth == 0 || random.uniform() < 0.25) {
    return label;
  }
  std::string text = "(" + label;
  for (auto children = 1 + random.below(3); children > 0; --children) {
    text += " " + law_tree(random, depth - 1);
  }
  return text + ")";
}

inline Samples law_trees(Index n, RandomStream& random) {
  std::vector<std::string> trees;
  for (Index i = 0; i < n; ++i) {
    trees.push_back(i % 7 == 6 ? trees[i - 3] : law_tree(random, 3));
  }
  return make_strings(trees);
}

/// The symmetric weight matrix of one random graph with n nodes, one of them without edges.
inline Samples law_adjacency(Index n, RandomStream& random) {
  std::vector<double> weights(n * n, 0.0);
  for (Index i = 1; i < n; ++i) {
    for (Index j = 1; j < i; ++j) {
      if (random.uniform() < 0.3) {
        weights[i * n + j] = weights[j * n + i] = random.uniform();
      }
    }
  }
  return make_dense(std::move(weights), n, n);
}

inline Samples law_objects(KernelInput input, Index n, std::uint64_t seed) {
  RandomStream random(seed, 18);
  switch (input) {
    case KernelInput::aligned_strings:
      return law_aligned_strings(n, random);
    case KernelInput::sets:
      return law_sets(n, random);
    case KernelInput::bags:
      return law_bags(n, random);
    case KernelInput::graphs:
      return law_graphs(n, random);
    case KernelInput::trees:
      return law_trees(n, random);
    case KernelInput::adjacency:
      return law_adjacency(n, random);
    default:
      return law_strings(n, random);
  }
}

}  // namespace mercer::testing
