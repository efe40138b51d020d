// A function f(r) ≥ 0 of r ≥ 0 by Chebyshev polynomials between knots, zero beyond the last knot.
//
// Between the knots a and b it is a series in θ, r = a + (b−a) sin²(θ/2): powers (r−a)^(k/2) are analytic in θ, so that
// the series converges as fast where the function has such a power at a knot as where it is smooth. What is stored is
// f(r)·exp(decay·r²).
#pragma once

#include <functional>
#include <vector>

namespace mercer {

class ChebyshevTable {
 public:
  using Function = std::function<double(double r)>;

  ChebyshevTable() = default;
  /// `knots` rise from 0; `f` is called at inner points of the pieces only. Cost: 80 calls and 80² cosines a piece.
  ChebyshevTable(const std::vector<double>& knots, double decay, const Function& f);

  double operator()(double r) const;
  /// By r. At a knot, and within 1e-10 of it, that of a point beside it.
  double derivative(double r) const;
  /// r → ∫_r^end integrand(s, f(s)) ds.
  ChebyshevTable integral_to_end(const std::function<double(double s, double value)>& integrand) const;

 private:
  struct Piece {
    double begin = 0;
    double end = 0;
    std::vector<double> series;
    std::vector<double> slope;  // of the series, by its own variable
  };
  struct Place {
    const Piece* piece = nullptr;
    double angle = 0;
  };
  /// The piece of r, none beyond the last knot.
  Place place(double r) const;

  std::vector<Piece> pieces_;
  double decay_ = 0;
};

}  // namespace mercer
