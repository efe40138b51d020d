// NetDescent: the elastic net of a few features whose products are known,
//
//   min_A  ½ tr(AᵀGA) − tr(AᵀC) + Σ_a (t_a‖a_a‖ + (r_a/2)‖a_a‖²)
//
// by coordinate descent and, for one output, Newton steps within the orthant of the present signs. What elastic_net.h does
// inside its working set.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct NetQuadratic {
  ConstMatrixView<double> gram;             ///< G: k × k, both triangles
  ConstMatrixView<double> target_products;  ///< C: k × outputs
  std::span<const double> thresholds;       ///< t
  std::span<const double> ridges;           ///< r
  MatrixView<double> values;                ///< A: k × outputs, the start and the result
};

class NetDescent {
 public:
  NetDescent(const NetQuadratic& problem, const Run& run) : problem_(problem), run_(run) {}

  /// Until no coordinate changes by more than `enough` in units of its √curvature; gives the number of passes, each of k²
  /// flops per output. Throws Stopped.
  Index descend(double enough, Index max_passes);

 private:
  Index size() const { return problem_.gram.rows(); }
  double threshold(Index a) const { return problem_.thresholds[a]; }
  double ridge(Index a) const { return problem_.ridges[a]; }
  void reset_slopes();
  double pass_over_coordinates();
  void newton_in_orthant();
  std::vector<double> face_direction(const std::vector<Index>& face) const;
  bool move_along(const std::vector<Index>& face, const std::vector<double>& direction);

  NetQuadratic problem_;
  Run run_;
  Matrix<double> slopes_;
};

/// ‖x‖; exact for one number.
inline double net_norm(std::span<const double> x) { return x.size() == 1 ? std::abs(x[0]) : nrm2(x); }

}  // namespace mercer
