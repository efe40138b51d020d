#include "mercer/kernels/coordinate/coregion.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

using Tasks = std::vector<Index>;

class CoregionNode final : public TemplatedTile<CoregionNode> {
 public:
  CoregionNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        tasks_(static_cast<Index>(number_or(this->parameters(), "tasks", 0))),
        rank_(static_cast<Index>(number_or(this->parameters(), "rank", 1))),
        w_(numbers_or_none(this->parameters(), "W")),
        kappa_(numbers_or_none(this->parameters(), "kappa")),
        w_first_(gradient_offset(this->parameters(), "W")),
        kappa_first_(gradient_offset(this->parameters(), "kappa")) {
    if (!this->parameters().resolved()) {
      return;
    }
    constexpr Index most_tasks = 10000;
    if (tasks_ > most_tasks || (tasks_ > 0 && rank_ > tasks_)) {
      throw InvalidArgument("coregion: tasks = " + std::to_string(tasks_) + ", rank = " + std::to_string(rank_) +
                            ": rank must be at most tasks, tasks at most " + std::to_string(most_tasks));
    }
    require_length("W", w_, tasks_ * rank_);
    require_length("kappa", kappa_, tasks_);
    covariance_ = Matrix<double>(tasks_, tasks_);
    for (Index a = 0; a < tasks_; ++a) {
      for (Index b = 0; b < tasks_; ++b) {
        double sum = a == b ? kappa_[kappa_place(a)] : 0.0;
        for (Index r = 0; r < rank_; ++r) {
          sum += w_[w_place(a, r)] * w_[w_place(b, r)];
        }
        covariance_(a, b) = sum;
      }
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

  void request(KernelPreparation& /*preparation*/) const override {}
  void complete(KernelPreparation& preparation) const override {
    preparation.keep(*this, std::make_shared<const Tasks>(read_tasks(preparation.target().samples())));
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Tasks& tasks = x.slot<Tasks>(*this);
    for (std::size_t i = 0; i < k.size(); ++i) {
      const Index task = tasks[static_cast<std::size_t>(range.begin) + i];
      k[i] = covariance(task, task);
    }
  }

  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    const Tasks& x = context.x().slot<Tasks>(*this);
    const Tasks& y = context.y().slot<Tasks>(*this);
    Gathered gathered(tasks_);
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        gathered.add(x[context.rows().begin + i], y[context.columns().begin + j], q(i, j));
      }
    }
    add_gradient(gathered, gradient);
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    const Tasks& tasks = x.slot<Tasks>(*this);
    Gathered gathered(tasks_);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Index task = tasks[static_cast<std::size_t>(range.begin) + i];
      gathered.add(task, task, q[i]);
    }
    add_gradient(gathered, gradient);
  }
  bool has_input_derivatives() const override { return false; }

 private:
  friend TemplatedTile;

  static void require_length(const std::string& name, const std::vector<double>& values, Index wanted) {
    const auto size = static_cast<Index>(values.size());
    if (size != 1 && size != wanted) {
      throw InvalidArgument("coregion: " + name + " is a list of " + std::to_string(size) + " numbers, not " +
                            std::to_string(wanted) + " (W: tasks x rank, row by row; kappa: one per task)");
    }
  }
  std::size_t w_place(Index task, Index r) const {
    return w_.size() == 1 ? 0 : static_cast<std::size_t>(task * rank_ + r);
  }
  std::size_t kappa_place(Index task) const { return kappa_.size() == 1 ? 0 : static_cast<std::size_t>(task); }

  // B[s, t]; with any number of tasks all of them have the same W and kappa.
  double covariance(Index s, Index t) const {
    return tasks_ > 0 ? covariance_(s, t) : static_cast<double>(rank_) * w_[0] * w_[0] + (s == t ? kappa_[0] : 0.0);
  }

  // Σ_ij q_ij by pairs of tasks: all that a gradient needs of q.
  struct Gathered {
    explicit Gathered(Index tasks) : pairs(Matrix<double>::filled(tasks, tasks, 0.0)) {}
    void add(Index s, Index t, double q) {
      total += q;
      same += s == t ? q : 0.0;
      if (pairs.rows() > 0) {
        pairs(s, t) += q;
      }
    }
    Matrix<double> pairs;
    double total = 0;
    double same = 0;
  };

  void add_gradient(const Gathered& gathered, std::span<double> gradient) const {
    if (tasks_ == 0) {
      gradient[w_first_] += 2 * static_cast<double>(rank_) * w_[0] * gathered.total;
      gradient[kappa_first_] += gathered.same;
      return;
    }
    for (Index a = 0; a < tasks_; ++a) {
      gradient[kappa_first_ + kappa_place(a)] += gathered.pairs(a, a);
      for (Index b = 0; b < tasks_; ++b) {
        for (Index r = 0; r < rank_; ++r) {
          gradient[w_first_ + w_place(a, r)] += gathered.pairs(a, b) * w_[w_place(b, r)];
          gradient[w_first_ + w_place(b, r)] += gathered.pairs(a, b) * w_[w_place(a, r)];
        }
      }
    }
  }

  Index checked_task(double value, Index row) const {
    constexpr double largest = 1e15;
    const double bound = tasks_ > 0 ? static_cast<double>(tasks_) : largest;
    if (!(value >= 0 && value < bound) || value != std::floor(value)) {
      throw DataError("coregion: row " + std::to_string(row) + " has task " + shortest(value) +
                      "; tasks are whole numbers from 0" +
                      (tasks_ > 0 ? " to " + std::to_string(tasks_ - 1) : std::string()));
    }
    return static_cast<Index>(value);
  }

  Tasks read_tasks(const Samples& samples) const {
    Tasks tasks(static_cast<std::size_t>(samples.size()));
    if (samples.kind() == SampleKind::categories) {
      const auto& rows = samples.as<CategoryRows>();
      for (Index i = 0; i < rows.rows; ++i) {
        tasks[i] = checked_task(rows.codes[i], i);
      }
      return tasks;
    }
    if (!samples.is_numeric() || samples.columns() != 1) {
      throw InvalidArgument(
          "coregion takes one column that numbers the tasks, as in coregion(tasks=3)[task]; these are " +
          std::to_string(samples.columns()) + " columns of kind " + std::string(to_string(samples.kind())));
    }
    const Samples dense = to_dense<double>(samples);
    const auto& rows = dense.as<DenseRows<double>>();
    for (Index i = 0; i < rows.rows; ++i) {
      tasks[i] = checked_task(rows(i, 0), i);
    }
    return tasks;
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    const Tasks& x = context.x().template slot<Tasks>(*this);
    const Tasks& y = context.y().template slot<Tasks>(*this);
    const Index* const others = y.data() + context.columns().begin;
    for (Index i = 0; i < k.rows(); ++i) {
      const Index task = x[context.rows().begin + i];
      T* const row = k.row_data(i);
      if (tasks_ > 0) {
        const double* const covariances = covariance_.view().row_data(task);
        for (Index j = 0; j < k.columns(); ++j) {
          row[j] = static_cast<T>(covariances[others[j]]);
        }
      } else {
        const T same = static_cast<T>(covariance(task, task));
        const T different = static_cast<T>(covariance(task, task + 1));
        for (Index j = 0; j < k.columns(); ++j) {
          row[j] = others[j] == task ? same : different;
        }
      }
    }
  }

  Index tasks_;
  Index rank_;
  std::vector<double> w_;
  std::vector<double> kappa_;
  std::size_t w_first_;
  std::size_t kappa_first_;
  Matrix<double> covariance_;
};

}  // namespace

const KernelEntry& coregion_entry() {
  static const KernelEntry entry{
      .name = "coregion",
      .aliases = {"coregionalization", "coregionalisation"},
      .formula = "(W W' + diag(kappa))[x, y]",
      .summary = "covariance between tasks, on a column that numbers them from 0",
      .definiteness = "positive definite",
      .input = KernelInput::categories,
      .parameters = {{.name = "tasks",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "0",
                      .meaning = "number of tasks; 0: any, W and kappa are then single numbers"},
                     {.name = "rank",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "1",
                      .meaning = "columns of W"},
                     {.name = "W",
                      .constraint = Constraint::any,
                      .default_text = "1",
                      .meaning = "loadings, tasks x rank, row by row",
                      .may_be_list = true},
                     {.name = "kappa",
                      .constraint = Constraint::nonnegative,
                      .default_text = "1",
                      .meaning = "variance of each task on its own",
                      .may_be_list = true}},
      .make = make_node<CoregionNode>,
      .examples = {"coregion(W=0.7, kappa=0.4)[0]", "coregion(tasks=3, W=[1, -0.5, 0.3], kappa=[0.2, 0.4, 0.1])[0]",
                   "coregion(tasks=3, rank=2, W=[1, -0.5, 0.3, 0.8, 0.1, 0.7])[0]"}};
  return entry;
}

}  // namespace mercer
