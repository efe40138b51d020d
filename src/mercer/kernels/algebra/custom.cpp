#include "mercer/kernels/algebra/custom.h"

#include <mutex>

#include "mercer/base/error.h"
#include "mercer/kernels/coordinate/pairwise_node.h"
#include "mercer/kernels/nodes/feature_map_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

std::shared_ptr<const KernelNode> refuse_call_of_function(const KernelEntry& entry, ParameterList /*parameters*/,
                                                          std::vector<Kernel> /*children*/) {
  throw InvalidArgument("the kernel " + entry.name + " is a function of user code: it cannot be made from its name");
}

// Every such kernel is an entry of its own, which its nodes share.
std::shared_ptr<const KernelEntry> make_entry(const std::string& name, const Definiteness& definiteness) {
  require_own_name(name);
  return std::make_shared<const KernelEntry>(KernelEntry{.name = name,
                                                         .formula = name + "(x, y)",
                                                         .summary = "a function of user code",
                                                         .definiteness = to_string(definiteness),
                                                         .make = refuse_call_of_function});
}

class FunctionNode final : public PairwiseNode {
 public:
  FunctionNode(std::shared_ptr<const KernelEntry> entry, PairFunction f, const Definiteness& definiteness)
      : PairwiseNode(*entry, {}), own_entry_(std::move(entry)), f_(std::move(f)), definiteness_(definiteness) {}

  std::shared_ptr<const KernelNode> rebuilt(ParameterList /*parameters*/,
                                            std::vector<Kernel> /*children*/) const override {
    return std::make_shared<const FunctionNode>(own_entry_, f_, definiteness_);
  }
  Definiteness definiteness() const override { return definiteness_; }
  bool has_input_derivatives() const override { return false; }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { fill(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { fill(x, y, k); }

 private:
  template <class T>
  void fill(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    const std::vector<double> a(x.begin(), x.end());
    std::vector<double> b(x.size());
    for (std::size_t j = 0; j < k.size(); ++j) {
      for (std::size_t c = 0; c < b.size(); ++c) {
        b[c] = static_cast<double>(y(static_cast<Index>(c), static_cast<Index>(j)));
      }
      k[j] = static_cast<T>(f_(a, b));
    }
  }

  std::shared_ptr<const KernelEntry> own_entry_;
  PairFunction f_;
  Definiteness definiteness_;
};

class CustomFeatureNode final : public FeatureMapNode {
 public:
  CustomFeatureNode(std::shared_ptr<const KernelEntry> entry, FeatureFunction phi, Index dimension)
      : FeatureMapNode(*entry, ParameterList{}),
        own_entry_(std::move(entry)),
        phi_(std::move(phi)),
        dimension_(dimension) {}

  std::shared_ptr<const KernelNode> rebuilt(ParameterList /*parameters*/,
                                            std::vector<Kernel> /*children*/) const override {
    return std::make_shared<const CustomFeatureNode>(own_entry_, phi_, dimension_);
  }
  bool has_input_derivatives() const override { return false; }

 protected:
  Index feature_count(Index /*columns*/) const override { return dimension_; }
  // User code is called from one thread at a time.
  FeatureFunction feature_map(Index /*columns*/) const override {
    return [this](std::span<const double> x, std::span<double> features) {
      const std::lock_guard<std::mutex> guard(one_at_a_time_);
      phi_(x, features);
    };
  }

 private:
  std::shared_ptr<const KernelEntry> own_entry_;
  FeatureFunction phi_;
  mutable std::mutex one_at_a_time_;
  Index dimension_;
};

}  // namespace

Kernel from_function(const std::string& name, PairFunction f, const Definiteness& definiteness) {
  if (!f) {
    throw InvalidArgument("from_function: the function of kernel '" + name + "' is empty");
  }
  return Kernel(std::make_shared<const FunctionNode>(make_entry(name, definiteness), std::move(f), definiteness));
}

Kernel from_feature_map(const std::string& name, FeatureFunction phi, Index dimension) {
  if (!phi || dimension < 1) {
    throw InvalidArgument("from_feature_map: kernel '" + name + "' needs a function and at least one feature");
  }
  return Kernel(
      std::make_shared<const CustomFeatureNode>(make_entry(name, Definiteness::positive()), std::move(phi), dimension));
}

}  // namespace mercer
