// What the columns of an explicit map mean to a reader: names of features, and where in a sequence they stand.
#include <algorithm>
#include <map>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/features/explicit_map.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

// Names of the numeric columns that a leaf sees; "x3" where there are none.
std::string numeric_name(const ExplicitLeaf& leaf, const Samples& samples, std::uint64_t key) {
  auto number = static_cast<Index>(key);
  if (samples.kind() == SampleKind::table && leaf.subscripts.size() < 2) {
    const auto names = samples.table().numeric_names();
    if (!leaf.subscripts.empty()) {
      number = selected_numeric_columns(samples, leaf.subscripts.front())[static_cast<std::size_t>(number)];
    }
    if (!names.empty()) {
      return names[static_cast<std::size_t>(number)];
    }
  }
  return "x" + std::to_string(number);
}

std::string equality_name(const ExplicitLeaf& leaf, const Samples& view, Index i) {
  std::string value = "as in row " + std::to_string(i);
  if (view.kind() == SampleKind::categories) {
    const auto& rows = view.as<CategoryRows>();
    value = rows.levels[static_cast<std::size_t>(rows.codes[i])];
  }
  return leaf.label.empty() ? value : leaf.label + "=" + value;
}

std::vector<std::string> leaf_names(const ExplicitLeaf& leaf, const Samples& samples, const Samples& view, Index i,
                                    std::span<const std::uint64_t> keys) {
  std::vector<std::string> names;
  if (leaf.explicit_node != nullptr) {
    names = leaf.explicit_node->feature_names(view, i, keys);
    for (std::string& name : names) {
      name = leaf.label.empty() ? name : leaf.label + ":" + name;
    }
    return names;
  }
  const std::string& kind = leaf.node->entry().name;
  for (const std::uint64_t key : keys) {
    names.push_back(kind == "linear"  ? numeric_name(leaf, samples, key)
                    : kind == "delta" ? equality_name(leaf, view, i)
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
      std::int32_t& place = wanted[static_cast<std::size_t>(rows.column_numbers[at])];
      if (place >= 0) {
        found[i].push_back(static_cast<std::size_t>(place));
        place = -1;
      }
    }
  }
  return found;
}

// Shares the part of every feature of a leaf out among its occurrences.
void add_places(const ExplicitLeaf& leaf, std::vector<FeaturePlace> places, const std::vector<KeyedFeature>& row,
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
    if (column >= 0 && feature != row.end() && feature->key == first->key) {
      for (auto place = first; place != last; ++place) {
        const double share =
            feature->value / static_cast<double>(last - first) / static_cast<double>(place->end - place->begin);
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
SequenceProfile& profile_of(const std::string& column, Index length, Index functions,
                            std::vector<SequenceProfile>& profiles) {
  for (SequenceProfile& known : profiles) {
    if (known.column == column) {
      return known;
    }
  }
  profiles.push_back({column, Matrix<double>::filled(length, functions, 0.0)});
  return profiles.back();
}

}  // namespace

std::vector<std::string> ExplicitMap::names(std::span<const Index> columns, const Samples& samples, const Samples& rows,
                                            const Run& run) const {
  std::vector<std::int32_t> wanted(keys_.size(), -1);
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    wanted[static_cast<std::size_t>(columns[c])] = static_cast<std::int32_t>(c);
    names.push_back(hexadecimal(keys_[static_cast<std::size_t>(columns[c])]));
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
  parallel_for(run, static_cast<Index>(tasks.size()), "names", [&](Index t) {
    const auto& [row, places] = tasks[static_cast<std::size_t>(t)];
    std::map<std::uint64_t, std::size_t> place_of;
    for (const std::size_t place : places) {
      place_of.emplace(keys_[static_cast<std::size_t>(columns[place])], place);
    }
    std::vector<KeyedFeature> features;
    for (std::size_t l = 0; l < views.size() && !place_of.empty(); ++l) {
      const ExplicitLeaf& leaf = terms_.leaves()[l];
      features.clear();
      terms_.leaf_features(views, learnt_, l, row, features);
      std::vector<std::uint64_t> own_keys;
      std::vector<std::size_t> own_places;
      for (const KeyedFeature& feature : features) {
        const auto found = place_of.find(ExplicitTerms::tagged(leaf, feature.key));
        if (found != place_of.end()) {
          own_keys.push_back(feature.key);
          own_places.push_back(found->second);
          place_of.erase(found);
        }
      }
      const std::vector<std::string> own = leaf_names(leaf, samples, views[l], row, own_keys);
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
  std::vector<KeyedFeature> row;
  terms_.features(views, learnt_, 0, row);
  std::vector<SequenceProfile> profiles;
  for (std::size_t l = 0; l < views.size(); ++l) {
    const ExplicitLeaf& leaf = terms_.leaves()[l];
    std::vector<FeaturePlace> places;
    if (leaf.explicit_node != nullptr) {
      leaf.explicit_node->append_places(views[l], 0, places);
    }
    if (places.empty()) {
      continue;
    }
    const std::string column = leaf.subscripts.empty() ? std::string() : to_string(leaf.subscripts.back());
    const auto length = static_cast<Index>(string_at(views[l], 0).size());
    SequenceProfile& own =
        profile_of(column.empty() ? column : column.substr(1, column.size() - 2), length, weights.columns(), profiles);
    add_places(leaf, std::move(places), row, index_, weights, own.values.view());
  }
  return profiles;
}

}  // namespace mercer
