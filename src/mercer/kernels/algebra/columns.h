// k[age, bmi]: a kernel on some of the columns only.
#pragma once

#include "mercer/kernels/algebra.h"
#include "mercer/kernels/nodes/composite_node.h"

namespace mercer {

const KernelEntry& columns_entry();

class ColumnsNode final : public TemplatedTile<ColumnsNode> {
 public:
  ColumnsNode(const KernelEntry& entry, std::vector<Kernel> children, ColumnSelection selection);

  const ColumnSelection& selection() const { return selection_; }
  std::shared_ptr<const KernelNode> rebuilt(ParameterList parameters, std::vector<Kernel> children) const override;
  std::string spec() const override;
  /// How many columns the child can stand is a matter of the chosen ones, which the child sees and counts itself.
  Definiteness definiteness() const override {
    Definiteness result = child(0).definiteness();
    result.domain.largest_dimension = 0;
    return result;
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override;

  void request(KernelPreparation& preparation) const override;
  void complete(KernelPreparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override;
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override;

 private:
  friend TemplatedTile;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
  KernelPreparation enter(const KernelPreparation& outer) const;
  /// if_present(k)[a, b] as the sum over its columns, which the inner samples call `apart`.
  std::shared_ptr<const KernelNode> resolved_apart(const std::vector<ColumnReference>& apart,
                                                   const WeightedSamples& all, const Run& run) const;

  ColumnSelection selection_;
  CategoriesAs categories_;
  std::string key_;  // the selection as text: subscripts that read the same, and see the same, share their scope
};

}  // namespace mercer
