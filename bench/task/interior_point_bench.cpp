// The interior point method for convex programmes (solvers/convex/interior_point.h). One iteration against the matrix
// operation that it cannot do without: dense Q of order 3000, one Cholesky factorisation of that size; low rank, 200 000
// rows of 200 numbers, one product RᵀR. Both are duals of C-SVC machines, to a relative gap of 1e-8. Then the peak memory
// of the dense one in units of n² doubles, Q included, and the linear programmes of kernel machines by this method and by
// their own (linear_program.h), which knows that their variables are split: why it stays apart.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>

#include "mercer/base/random.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/linear_program.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/low_rank_quadratic.h"
#include "timing.h"

namespace {

using namespace mercer;

// Of one thread the processor's time counts, which a busy machine leaves alone; of several the clock's.
double time_now(const Run& run) {
  return run.threads() == 1 ? static_cast<double>(std::clock()) / CLOCKS_PER_SEC : bench::seconds_now();
}

constexpr int repeats_of_floor = 10;

double status_megabytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key, 0) == 0) {
      return std::strtod(line.c_str() + std::strlen(key), nullptr) / 1024;
    }
  }
  return 0;
}

// The kernel then counts the peak from here.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

Matrix<double> normal_matrix(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, 1);
  Matrix<double> matrix(rows, columns);
  for (Index i = 0; i < rows * columns; ++i) {
    matrix.data()[i] = random.normal();
  }
  return matrix;
}

std::vector<double> noisy_signs(const Matrix<double>& x) {
  RandomStream random(9, 2);
  std::vector<double> signs;
  for (Index i = 0; i < x.rows(); ++i) {
    signs.push_back(x(i, 0) + x(i, 1) + 0.5 * random.normal() > 0 ? 1.0 : -1.0);
  }
  return signs;
}

// exp(−‖x − z‖²/(2 · columns)), signs on both sides.
Matrix<double> gaussian_gram(const Matrix<double>& x, const std::vector<double>& signs, const Run& run) {
  Matrix<double> k(x.rows(), x.rows());
  parallel_gemm<double>(1.0, x.view(), Transpose::no, x.view(), Transpose::yes, 0.0, k.view(), run);
  std::vector<double> norms;
  for (Index i = 0; i < x.rows(); ++i) {
    norms.push_back(k(i, i));
  }
  const double scale = -0.5 / static_cast<double>(x.columns());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double sign = signs.empty() ? 1.0 : signs[i] * signs[j];
      k(i, j) = k(j, i) = sign * std::exp(scale * (norms[i] + norms[j] - 2 * k(i, j)));
    }
  }
  return k;
}

ConvexProgram svc_dual(std::shared_ptr<const QuadraticTerm> quadratic, const std::vector<double>& signs,
                       Matrix<double>& labels, double bound) {
  labels = Matrix<double>(1, std::ssize(signs));
  std::copy(signs.begin(), signs.end(), labels.data());
  ConvexProgram program;
  program.quadratic = std::move(quadratic);
  program.linear.assign(signs.size(), -1.0);
  program.equality = labels.view();
  program.equality_values = {0.0};
  program.lower.assign(signs.size(), 0.0);
  program.upper.assign(signs.size(), bound);
  return program;
}

void print_solution(const std::string& name, const ConvexSolution& solution, double seconds, double floor) {
  const double each = seconds / static_cast<double>(std::max<Index>(solution.iterations, 1));
  std::printf("{\"bench\":\"%s\",\"status\":\"%s\",\"iterations\":%ld,\"relative_gap\":%.2g,\"total_s\":%.4g}\n",
              name.c_str(), std::string(to_string(solution.status)).c_str(), static_cast<long>(solution.iterations),
              solution.relative_gap, seconds);
  bench::print_result(name + "_iteration", each, floor);
}

void run_dense(Index n, const Run& run) {
  const Matrix<double> x = normal_matrix(n, 10, 1);
  const std::vector<double> signs = noisy_signs(x);
  const double start_memory = status_megabytes("VmRSS:");
  const auto quadratic = std::make_shared<DenseQuadratic>(gaussian_gram(x, signs, run));
  Matrix<double> labels;
  const ConvexProgram program = svc_dual(quadratic, signs, labels, 1.0);
  reset_peak();
  const double start = time_now(run);
  const ConvexSolution solution = solve_convex_program(program, {}, run);
  const double seconds = time_now(run) - start;
  const double peak = status_megabytes("VmHWM:") - start_memory;
  const double unit = 8.0 * static_cast<double>(n) * static_cast<double>(n) / 1048576;
  const Matrix<double> k = gaussian_gram(x, {}, run);
  // A mean, as that of an iteration is: a busy machine slows both.
  double floor = 0;
  for (int repeat = 0; repeat < repeats_of_floor; ++repeat) {
    Matrix<double> factor = Matrix<double>::copy_of(k.view());
    for (Index i = 0; i < n; ++i) {
      factor(i, i) += 1;
    }
    const double begin = time_now(run);
    cholesky<double>(factor.view(), run);
    floor += (time_now(run) - begin) / repeats_of_floor;
  }
  print_solution("interior_point_dense_" + std::to_string(n), solution, seconds, floor);
  std::printf("{\"bench\":\"interior_point_dense_%ld_memory\",\"peak_over_n2_doubles\":%.3g}\n", static_cast<long>(n),
              peak / unit);
}

void run_low_rank(Index n, Index k, const Run& run) {
  const Matrix<double> x = normal_matrix(n, k, 3);
  const std::vector<double> signs = noisy_signs(x);
  Matrix<double> labels;
  Matrix<double> scaled = Matrix<double>::copy_of(x.view());
  for (Index i = 0; i < n; ++i) {
    scale(signs[i], scaled.view().row(i));
  }
  const StoredFactorRows rows(scaled.view());
  const ConvexProgram program = svc_dual(std::make_shared<LowRankQuadratic>(rows), signs, labels, 0.01);
  const double start = time_now(run);
  const ConvexSolution solution = solve_convex_program(program, {}, run);
  const double seconds = time_now(run) - start;
  Matrix<double> square(k, k);
  const double begin = time_now(run);
  for (int repeat = 0; repeat < repeats_of_floor; ++repeat) {
    parallel_syrk<double>(1.0, scaled.view(), Transpose::yes, 0.0, square.view(), run);
  }
  const double floor = (time_now(run) - begin) / repeats_of_floor;
  print_solution("interior_point_low_rank_" + std::to_string(n) + "x" + std::to_string(k), solution, seconds, floor);
}

// min Σ|t − Φa − b| + price ‖a‖₁ as a general programme: a = p − q, Φ(p − q) + b + ξ − s = t.
void run_linear_program(Index n, const Run& run) {
  const Matrix<double> x = normal_matrix(n, 3, 5);
  const Matrix<double> k = gaussian_gram(x, {}, run);
  std::vector<double> targets;
  RandomStream random(6, 1);
  for (Index i = 0; i < n; ++i) {
    targets.push_back(std::sin(x(i, 0)) + 0.3 * random.normal());
  }
  const std::vector<double> prices(static_cast<std::size_t>(n), 0.5);
  const double start = time_now(run);
  const LinearProgramSolution own =
      solve_linear_program(k.view(), absolute_losses(targets, {}, 0), prices, {.offset = ProgramOffset::free}, run);
  const double middle = time_now(run);
  Matrix<double> rows = Matrix<double>::filled(n, 4 * n + 1, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      rows(i, j) = k(i, j);
      rows(i, n + j) = -k(i, j);
    }
    rows(i, 2 * n + i) = 1;
    rows(i, 3 * n + i) = -1;
    rows(i, 4 * n) = 1;
  }
  ConvexProgram program;
  program.linear.assign(static_cast<std::size_t>(4 * n + 1), 1.0);
  std::fill_n(program.linear.begin(), 2 * n, 0.5);
  program.linear.back() = 0;
  program.equality = rows.view();
  program.equality_values = targets;
  program.lower.assign(static_cast<std::size_t>(4 * n + 1), 0.0);
  program.lower.back() = -std::numeric_limits<double>::infinity();
  const double built = time_now(run);
  const ConvexSolution general = solve_convex_program(program, {.tolerance = 1e-9}, run);
  const double end = time_now(run);
  std::printf("{\"bench\":\"linear_program_%ld\",\"own\":%.10g,\"general\":%.10g,\"general_iterations\":%ld}\n",
              static_cast<long>(n), own.objective, general.primal, static_cast<long>(general.iterations));
  bench::print_result("linear_program_" + std::to_string(n) + "_own_against_general", middle - start, end - built);
}

}  // namespace

int main() {
  for (const int threads : {1, 0}) {
    std::printf("{\"threads\":%d}\n", threads);
    const Run run{{.threads = threads}};
    run_dense(3000, run);
    run_low_rank(200000, 200, run);
  }
  run_linear_program(500, Run());
  run_linear_program(1000, Run());
  return 0;
}
