// What the columns of an explicit map mean to a reader: names of features, and where in a sequence they stand.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/features/explicit_map.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/coordinate/hamming.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

// The names of the numeric columns that a leaf sees, in its order; "x3" for those without. `one`: a row of the samples.
std::vector<std::string> numeric_names(const ExplicitLeaf& leaf, const Samples& one) {
  std::vector<Index> numbers(
      static_cast<std::size_t>(one.kind() == SampleKind::table ? one.table().numeric().columns() : one.columns()));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  Samples seen = one;
  const CategoriesAs categories = categories_seen_by_leaf(*leaf.node);
  for (const ColumnSelection& subscript : leaf.subscripts) {
    std::vector<Index> chosen = selected_numeric_columns(seen, subscript, categories);
    std::transform(chosen.begin(), chosen.end(), chosen.begin(), [&](Index column) { return numbers[column]; });
    numbers = std::move(chosen);
    seen = select_columns(seen, subscript, categories);
  }
  std::vector<std::string> names;
  for (const Index number : numbers) {
    const bool has_name = one.kind() == SampleKind::table && !one.table().numeric_names().empty();
    names.push_back(has_name ? one.table().numeric_names()[number] : "x" + std::to_string(number));
  }
  return names;
}

// The column that a leaf sees, as the file calls it; empty where it sees all of them.
std::string column_of(const ExplicitLeaf& leaf) {
  if (leaf.subscripts.empty()) {
    return {};
  }
  const ColumnSelection& columns = leaf.subscripts.back();
  if (columns.references.size() == 1) {
    if (const auto* name = std::get_if<ColumnName>(&columns.references.front())) {
      return name->name;
    }
  }
  const std::string text = to_string(columns);
  return text.substr(1, text.size() - 2);
}

// What stands before the names of a leaf's features, so that those of different leaves differ: the column, and the kernel
// where several see the same column, numbered in the order of the text where even that is the same.
std::string prefix_of(const ExplicitTerms& terms, std::size_t number) {
  if (terms.leaves().size() == 1) {
    return {};
  }
  const ExplicitLeaf& leaf = terms.leaves()[number];
  const std::string column = column_of(leaf);
  bool shares_column = false;
  Index same = 0;     // leaves of this kernel on this column
  Index ordinal = 0;  // of this one among them
  for (const ExplicitLeaf& other : terms.leaves()) {
    if (other.explicit_node == nullptr || column_of(other) != column) {
      continue;
    }
    shares_column = shares_column || &other != &leaf;
    same += &other.node->entry() == &leaf.node->entry() ? 1 : 0;
    ordinal = &other == &leaf ? same : ordinal;
  }
  const std::string kernel = leaf.node->entry().name + (same > 1 ? "#" + std::to_string(ordinal) : "");
  return (column.empty() ? kernel : shares_column ? column + ":" + kernel : column) + ":";
}

std::string equality_name(const ExplicitLeaf& leaf, const Samples& view, Index i) {
  std::string value = "as in row " + std::to_string(i);
  if (view.kind() == SampleKind::categories) {
    const auto& rows = view.as<CategoryRows>();
    value = rows.levels[rows.codes[i]];
  }
  return leaf.label.empty() ? value : leaf.label + "=" + value;
}

// What all names of a leaf's features are made of.
struct LeafWords {
  std::string prefix;
  std::vector<std::string> numeric;  // of linear()
};

std::vector<std::string> leaf_names(const ExplicitLeaf& leaf, const LeafWords& words, const Samples& view, Index i,
                                    std::span<const std::uint64_t> keys) {
  std::vector<std::string> names;
  if (leaf.explicit_node != nullptr) {
    names = leaf.explicit_node->feature_names(view, i, keys);
    for (std::string& name : names) {
      name.insert(0, words.prefix);
    }
    return names;
  }
  const KernelEntry* const entry = &leaf.node->entry();
  for (const std::uint64_t key : keys) {
    names.push_back(entry == &linear_entry()  ? words.numeric[key]
                    : entry == &delta_entry() ? equality_name(leaf, view, i)
                                              : "1");
  }
  return names;
}

std::string hexadecimal(std::uint64_t key) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text += digits[(key >> static_cast<unsigned>(shift)) & 15U];
  }
  return text;
}

template <class T>
std::map<Index, std::vector<std::size_t>> by_first_row(const SparseRows<T>& rows, std::vector<std::int32_t>& wanted) {
  std::map<Index, std::vector<std::size_t>> found;
  for (Index i = 0; i < rows.rows; ++i) {
    for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
      std::int32_t& place = wanted[rows.column_numbers[at]];
      if (place >= 0) {
        found[i].push_back(static_cast<std::size_t>(place));
        place = -1;
      }
    }
  }
  return found;
}

// Σ of the parts of a feature's occurrences; 0 where they cancel but for rounding, as its value does then.
double total_part(std::span<const FeaturePlace> places) {
  constexpr double rounding = 1e-12;
  double sum = 0;
  double size = 0;
  for (const FeaturePlace& place : places) {
    sum += place.part;
    size += std::abs(place.part);
  }
  return std::abs(sum) > rounding * size ? sum : 0.0;
}

// Shares the part of every feature of a leaf out among its occurrences.
void add_places(const ExplicitLeaf& leaf, std::vector<FeaturePlace> places, std::span<const KeyedFeature> row,
                const KeyIndex& index, ConstMatrixView<double> weights, MatrixView<double> out) {
  for (FeaturePlace& place : places) {
    place.key = ExplicitTerms::tagged(leaf, place.key);
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const FeaturePlace& a, const FeaturePlace& b) { return a.key < b.key; });
  auto feature = row.begin();
  for (auto first = places.begin(); first != places.end();) {
    const auto last = std::find_if(first, places.end(), [&](const FeaturePlace& p) { return p.key != first->key; });
    feature = std::find_if(feature, row.end(), [&](const KeyedFeature& f) { return f.key >= first->key; });
    const std::int32_t column = index.find(first->key);
    const double total = total_part({first, last});
    if (column >= 0 && feature != row.end() && feature->key == first->key && total != 0) {
      for (auto place = first; place != last; ++place) {
        const double share = feature->value / total * place->part / static_cast<double>(place->end - place->begin);
        for (Index at = place->begin; at < place->end; ++at) {
          for (Index f = 0; f < weights.columns(); ++f) {
            out(at, f) += share * weights(column, f);
          }
        }
      }
    }
    first = last;
  }
}

// The profile of a column, added where it is new.
SequenceProfile& profile_of(const std::string& column, std::string_view sequence, Index functions,
                            std::vector<SequenceProfile>& profiles) {
  for (SequenceProfile& known : profiles) {
    if (known.column == column) {
      return known;
    }
  }
  profiles.push_back(
      {column, std::string(sequence), Matrix<double>::filled(static_cast<Index>(sequence.size()), functions, 0.0)});
  return profiles.back();
}

}  // namespace

std::vector<std::string> ExplicitMap::names(std::span<const Index> columns, const Samples& samples, const Samples& rows,
                                            const Run& run) const {
  std::vector<std::int32_t> wanted(keys_.size(), -1);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    wanted[columns[c]] = static_cast<std::int32_t>(c);
    names.push_back(hexadecimal(keys_[columns[c]]));
  }
  if (rows.kind() != SampleKind::sparse || rows.size() != samples.size() || rows.columns() != this->columns()) {
    throw InvalidArgument("names of features: the rows are not what this map makes of the samples");
  }
  std::map<Index, std::vector<std::size_t>> by_row;
  if (std::holds_alternative<SparseRows<float>>(rows.rows())) {
    by_row = by_first_row(rows.as<SparseRows<float>>(), wanted);
  } else {
    by_row = by_first_row(rows.as<SparseRows<double>>(), wanted);
  }
  const std::vector<std::pair<Index, std::vector<std::size_t>>> tasks(by_row.begin(), by_row.end());
  const std::vector<Samples> views = terms_.views(samples);
  std::vector<LeafWords> words(views.size());
  for (std::size_t l = 0; l < views.size() && samples.size() > 0; ++l) {
    const ExplicitLeaf& leaf = terms_.leaves()[l];
    words[l].prefix = prefix_of(terms_, l);
    if (&leaf.node->entry() == &linear_entry()) {
      words[l].numeric = numeric_names(leaf, samples.slice({0, 1}));
    }
  }
  parallel_for(run, static_cast<Index>(tasks.size()), "names", [&](Index t) {
    const auto& [row, places] = tasks[t];
    std::map<std::uint64_t, std::size_t> place_of;
    for (const std::size_t place : places) {
      place_of.emplace(keys_[columns[place]], place);
    }
    FeatureList features(run);
    for (std::size_t l = 0; l < views.size() && !place_of.empty(); ++l) {
      const ExplicitLeaf& leaf = terms_.leaves()[l];
      features.clear();
      terms_.leaf_features(views, learned_, l, row, features);
      std::vector<std::uint64_t> own_keys;
      std::vector<std::size_t> own_places;
      for (const KeyedFeature& feature : features.merged()) {
        const auto found = place_of.find(ExplicitTerms::tagged(leaf, feature.key));
        if (found != place_of.end()) {
          own_keys.push_back(feature.key);
          own_places.push_back(found->second);
          place_of.erase(found);
        }
      }
      const std::vector<std::string> own = leaf_names(leaf, words[l], views[l], row, own_keys);
      for (std::size_t k = 0; k < own.size(); ++k) {
        names[own_places[k]] = own[k];
      }
    }
  });
  return names;
}

std::vector<SequenceProfile> ExplicitMap::profile(const Samples& samples, Index i,
                                                  ConstMatrixView<double> weights) const {
  if (weights.rows() != columns()) {
    throw InvalidArgument("weights of " + std::to_string(weights.rows()) + " features where the map has " +
                          std::to_string(columns()));
  }
  const Samples one = samples.slice({i, i + 1});
  const std::vector<Samples> views = terms_.views(one);
  const Run run;
  FeatureList features(run);
  terms_.append_features(views, learned_, 0, features);
  const std::span<const KeyedFeature> row = features.merged();
  std::vector<SequenceProfile> profiles;
  for (std::size_t l = 0; l < views.size(); ++l) {
    const ExplicitLeaf& leaf = terms_.leaves()[l];
    if (leaf.explicit_node == nullptr || views[l].kind() != SampleKind::strings) {
      continue;
    }
    std::vector<FeaturePlace> places;
    leaf.explicit_node->append_places(views[l], 0, learned_[l].get(), places);
    // A kernel without subscript sees the only column of a table without numbers.
    const std::string column = leaf.subscripts.empty() && one.kind() == SampleKind::table
                                   ? one.table().others().front().name
                                   : column_of(leaf);
    SequenceProfile& own = profile_of(column, string_at(views[l], 0), weights.columns(), profiles);
    add_places(leaf, std::move(places), row, index_, weights, own.values.view());
  }
  return profiles;
}

}  // namespace mercer
