#include "mercer/kernels/algebra.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra/columns.h"
#include "mercer/kernels/algebra/if_present.h"
#include "mercer/kernels/algebra/product.h"
#include "mercer/kernels/algebra/scale.h"
#include "mercer/kernels/algebra/sum.h"
#include "mercer/kernels/coordinate/constant.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// (a + b) + c is one sum of three, so that the printed text parses back to the same tree.
Kernel flattened(const KernelEntry& entry, std::vector<Kernel> parts) {
  if (parts.empty()) {
    throw InvalidArgument("a " + entry.name + " of no kernels");
  }
  std::vector<Kernel> flat;
  for (Kernel& part : parts) {
    if (&part.node().entry() == &entry) {
      flat.insert(flat.end(), part.node().children().begin(), part.node().children().end());
    } else {
      flat.push_back(std::move(part));
    }
  }
  if (flat.size() == 1) {
    return flat.front();
  }
  return Kernel(entry.make(entry, ParameterList(), std::move(flat)));
}

std::optional<std::vector<Kernel>> children_of(const KernelEntry& entry, const KernelNode& node) {
  if (&node.entry() != &entry) {
    return std::nullopt;
  }
  return std::vector<Kernel>(node.children().begin(), node.children().end());
}

}  // namespace

Kernel sum(std::vector<Kernel> terms) { return flattened(sum_entry(), std::move(terms)); }

Kernel product(std::vector<Kernel> factors) { return flattened(product_entry(), std::move(factors)); }

Kernel scaled(ParameterValue factor, Kernel kernel) {
  return make_kernel("scale", {{"scale", std::move(factor)}}, {std::move(kernel)});
}

Kernel pow(Kernel kernel, double exponent) {
  return make_kernel("power", {{"exponent", ParameterValue::number(exponent)}}, {std::move(kernel)});
}

Kernel on_columns(Kernel kernel, ColumnSelection selection) {
  const auto is_range = [](const ColumnReference& reference) {
    const auto* const span = std::get_if<ColumnSpan>(&reference);
    return span == nullptr || (span->begin >= 0 && span->begin < span->end);
  };
  if (selection.references.empty() || !std::ranges::all_of(selection.references, is_range)) {
    throw InvalidArgument("the subscript " + to_string(selection) + " of " + kernel.spec() +
                          ": columns are names, numbers from 0, and ranges begin:end with begin < end");
  }
  return Kernel(std::make_shared<const ColumnsNode>(columns_entry(), std::vector<Kernel>{std::move(kernel)},
                                                    std::move(selection)));
}

Kernel operator+(Kernel a, Kernel b) { return sum({std::move(a), std::move(b)}); }
Kernel operator*(Kernel a, Kernel b) { return product({std::move(a), std::move(b)}); }
Kernel operator*(double factor, Kernel kernel) { return scaled(ParameterValue::number(factor), std::move(kernel)); }

std::optional<std::vector<Kernel>> as_sum(const Kernel& kernel) { return children_of(sum_entry(), kernel.node()); }

std::optional<std::vector<Kernel>> as_product(const Kernel& kernel) {
  return children_of(product_entry(), kernel.node());
}

std::optional<ScaledKernel> as_scale(const Kernel& kernel) {
  const KernelNode& node = kernel.node();
  if (&node.entry() != &scale_entry()) {
    return std::nullopt;
  }
  const ParameterList& parameters = node.parameters();
  return ScaledKernel{parameters.resolved() ? std::optional(parameters.number("scale")) : std::nullopt,
                      node.children().front()};
}

namespace {

struct SeenByLeaves {
  bool has_vectors = false;
  bool has_others = false;  // or subscripts, whose names a matrix does not keep
  bool may_be_missing = false;
};

void look_at_leaves(const Kernel& kernel, SeenByLeaves& seen) {
  const KernelNode& node = kernel.node();
  seen.may_be_missing = seen.may_be_missing || &node.entry() == &if_present_entry();
  seen.has_others = seen.has_others || &node.entry() == &columns_entry();
  if (node.children().empty()) {
    const bool takes_vectors = categories_seen_by_leaf(node) != CategoriesAs::columns;
    seen.has_vectors = seen.has_vectors || takes_vectors;
    seen.has_others = seen.has_others || !(takes_vectors || looks_at_no_column(kernel));
  }
  for (const Kernel& child : node.children()) {
    look_at_leaves(child, seen);
  }
}

}  // namespace

CategoriesAs categories_seen_by_leaf(const KernelNode& leaf) {
  const KernelInput input = leaf.entry().input;
  return input == KernelInput::vectors || input == KernelInput::nonnegative_vectors ? CategoriesAs::both
                                                                                    : CategoriesAs::columns;
}

CategoriesAs categories_seen_by(const Kernel& kernel) {
  SeenByLeaves seen;
  look_at_leaves(kernel, seen);
  if (seen.may_be_missing || !seen.has_vectors) {
    return CategoriesAs::columns;
  }
  return seen.has_others ? CategoriesAs::both : CategoriesAs::vectors;
}

std::optional<KernelOnColumns> as_columns(const Kernel& kernel) {
  const auto* const subscript = dynamic_cast<const ColumnsNode*>(&kernel.node());
  if (subscript == nullptr) {
    return std::nullopt;
  }
  return KernelOnColumns{subscript->selection(), subscript->children().front()};
}

}  // namespace mercer
