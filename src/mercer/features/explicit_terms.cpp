#include "mercer/features/explicit_terms.h"

#include <bit>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/algebra/columns.h"
#include "mercer/kernels/algebra/normalize.h"
#include "mercer/kernels/algebra/scale.h"
#include "mercer/kernels/algebra/sum.h"
#include "mercer/kernels/coordinate/constant.h"
#include "mercer/kernels/coordinate/hamming.h"
#include "mercer/kernels/dot/linear.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

enum class TermKind { leaf, sum, scale, normalize, columns, none };

TermKind term_kind(const KernelNode& node) {
  const KernelEntry* const entry = &node.entry();
  if (dynamic_cast<const ExplicitNode*>(&node) != nullptr || entry == &linear_entry() || entry == &delta_entry() ||
      entry == &constant_entry()) {
    return TermKind::leaf;
  }
  return entry == &sum_entry()         ? TermKind::sum
         : entry == &scale_entry()     ? TermKind::scale
         : entry == &normalize_entry() ? TermKind::normalize
         : entry == &columns_entry()   ? TermKind::columns
                                       : TermKind::none;
}

[[noreturn]] void refuse_term(const KernelNode& node, const Kernel& kernel) {
  const bool whole = node.spec() == kernel.spec();
  throw InvalidArgument(
      "the kernel " + kernel.spec() + " has no explicit features" +
      (whole ? std::string() : ": its part " + node.spec() + " has none") +
      ". Explicit features have words, tfidf, spectrum, weighted_degree and other kernels on substrings, subtrees and "
      "histograms, linear(), delta() and constant(), and their sums, positive multiples, normalize() and column "
      "subscripts; for "
      "all other kernels take a kernel model (svc, svr, ridge)");
}

template <class T>
void append_numbers(const DenseRows<T>& rows, Index i, FeatureList& out) {
  for (Index j = 0; j < rows.columns; ++j) {
    out.add(static_cast<std::uint64_t>(j), static_cast<double>(rows(i, j)));
  }
}

template <class T>
void append_numbers(const SparseRows<T>& rows, Index i, FeatureList& out) {
  for (std::int64_t at = rows.offsets[i]; at < rows.offsets[i + 1]; ++at) {
    out.add(static_cast<std::uint64_t>(rows.column_numbers[at]), static_cast<double>(rows.values[at]));
  }
}

void append_vector(const Samples& samples, Index i, FeatureList& out) {
  std::visit(
      [&](const auto& rows) {
        if constexpr (requires { append_numbers(rows, i, out); }) {
          append_numbers(rows, i, out);
        }
      },
      samples.rows());
}

// Of delta(): the value itself is the feature; a category that was unknown when the levels were fixed equals nothing.
void append_equality(const Samples& samples, Index i, FeatureList& out) {
  if (samples.kind() == SampleKind::categories) {
    const auto& rows = samples.as<CategoryRows>();
    if (rows.codes[i] >= 0) {
      out.add(text_key(rows.levels[rows.codes[i]]), 1.0);
    }
    return;
  }
  FeatureSection row(out);
  append_vector(samples, i, out);
  std::uint64_t key = 0;
  for (const KeyedFeature& entry : row.merged()) {
    key = joined_key(joined_key(key, entry.key), std::bit_cast<std::uint64_t>(entry.value));
  }
  row.clear();
  out.add(key, 1.0);
}

// Features divided by their length; a length of 0 or beyond all numbers leaves none, as normalize() has it.
void normalize_section(FeatureSection& section) {
  const std::span<KeyedFeature> features = section.merged();
  double squares = 0;
  for (const KeyedFeature& feature : features) {
    squares += feature.value * feature.value;
  }
  if (!(squares > 0) || !std::isfinite(squares)) {
    section.clear();
    return;
  }
  for (KeyedFeature& feature : features) {
    feature.value /= std::sqrt(squares);
  }
}

void check_view(const ExplicitLeaf& leaf, const Samples& view) {
  const KernelEntry* const entry = &leaf.node->entry();
  if (leaf.explicit_node != nullptr) {
    leaf.explicit_node->check(view);
  } else if (entry == &linear_entry() && !view.is_numeric()) {
    throw InvalidArgument("linear() takes real vectors, but the samples are " + std::string(to_string(view.kind())) +
                          "; name a kernel for them, such as tfidf() for texts or spectrum(k=3) for sequences");
  } else if (entry == &delta_entry() && !view.is_numeric() && view.kind() != SampleKind::categories) {
    throw InvalidArgument(
        "delta() has explicit features for one categorical column or for numbers, but the samples are " +
        std::string(to_string(view.kind())) + "; name columns one by one: delta()[sex] + delta()[town]");
  }
  if (leaf.explicit_node == nullptr && view.is_numeric()) {
    require_finite(view);
  }
}

}  // namespace

struct ExplicitTerms::Walk {
  const std::vector<Samples>& views;
  const std::vector<std::shared_ptr<const void>>& learned;
  Index row = 0;
  std::size_t leaf = 0;  // the next one
};

ExplicitTerms::ExplicitTerms(Kernel kernel) : kernel_(std::move(kernel)) {
  collect(kernel_, {});
  if (leaves_.size() == 1) {
    return;
  }
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    ExplicitLeaf& leaf = leaves_[l];
    leaf.tag = mixed_bits(l + 1);
    leaf.label = leaf.node->entry().name;
    if (!leaf.subscripts.empty()) {
      const std::string columns = to_string(leaf.subscripts.back());
      leaf.label = columns.substr(1, columns.size() - 2);
    }
  }
}

void ExplicitTerms::collect(const Kernel& part, const std::vector<ColumnSelection>& subscripts) {
  const KernelNode& node = part.node();
  const TermKind kind = term_kind(node);
  if (kind == TermKind::none) {
    refuse_term(node, kernel_);
  }
  if (kind == TermKind::leaf) {
    leaves_.push_back({&node, dynamic_cast<const ExplicitNode*>(&node), subscripts, {}, 0});
    return;
  }
  if (const auto scale = as_scale(part); scale && !(scale->factor.value_or(-1) >= 0)) {
    throw InvalidArgument("the kernel " + kernel_.spec() + " has no explicit features: the factor of " + node.spec() +
                          " is " + (scale->factor ? "negative" : "a range"));
  }
  std::vector<ColumnSelection> inner = subscripts;
  if (const auto subscript = as_columns(part)) {
    inner.push_back(subscript->columns);
  }
  for (const Kernel& child : node.children()) {
    collect(child, inner);
  }
}

std::vector<Samples> ExplicitTerms::views(const Samples& samples) const {
  std::vector<Samples> views;
  for (const ExplicitLeaf& leaf : leaves_) {
    Samples view = samples;
    for (const ColumnSelection& subscript : leaf.subscripts) {
      view = select_columns(view, subscript, categories_seen_by_leaf(*leaf.node));
    }
    if (&leaf.node->entry() != &delta_entry()) {
      view = default_columns(view);
    }
    check_view(leaf, view);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<std::shared_ptr<const void>> ExplicitTerms::learn(const std::vector<Samples>& views, const Run& run) const {
  std::vector<std::shared_ptr<const void>> learned;
  for (std::size_t l = 0; l < leaves_.size(); ++l) {
    const ExplicitNode* const node = leaves_[l].explicit_node;
    learned.push_back(node != nullptr && node->learns() ? node->learn(views[l], run) : nullptr);
  }
  return learned;
}

std::uint64_t ExplicitTerms::tagged(const ExplicitLeaf& leaf, std::uint64_t key) {
  return leaf.tag == 0 ? key : joined_key(leaf.tag, key);
}

void ExplicitTerms::leaf_features(const std::vector<Samples>& views,
                                  const std::vector<std::shared_ptr<const void>>& learned, std::size_t leaf, Index i,
                                  FeatureList& out) const {
  const ExplicitLeaf& own = leaves_[leaf];
  const KernelEntry* const entry = &own.node->entry();
  if (own.explicit_node != nullptr) {
    own.explicit_node->append_features(views[leaf], i, learned[leaf].get(), out);
  } else if (entry == &linear_entry()) {
    append_vector(views[leaf], i, out);
  } else if (entry == &delta_entry()) {
    append_equality(views[leaf], i, out);
  } else {
    out.add(0, std::sqrt(own.node->parameters().number("value")));
  }
}

void ExplicitTerms::append(const Kernel& part, Walk& walk, FeatureList& out) const {
  const TermKind kind = term_kind(part.node());
  FeatureSection section(out);
  if (kind == TermKind::leaf) {
    const ExplicitLeaf& leaf = leaves_[walk.leaf];
    leaf_features(walk.views, walk.learned, walk.leaf++, walk.row, out);
    for (KeyedFeature& feature : section.unmerged()) {
      feature.key = tagged(leaf, feature.key);
    }
    return;
  }
  for (const Kernel& child : part.node().children()) {
    append(child, walk, out);
  }
  if (kind == TermKind::normalize) {
    normalize_section(section);
  } else if (kind == TermKind::scale) {
    const double factor = std::sqrt(*as_scale(part)->factor);
    for (KeyedFeature& feature : section.unmerged()) {
      feature.value *= factor;
    }
  }
}

void ExplicitTerms::append_features(const std::vector<Samples>& views,
                                    const std::vector<std::shared_ptr<const void>>& learned, Index i,
                                    FeatureList& out) const {
  Walk walk{views, learned, i};
  append(kernel_, walk, out);
}

}  // namespace mercer
