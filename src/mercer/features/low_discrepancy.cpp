#include "mercer/features/low_discrepancy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/base/special_functions.h"

namespace mercer {

namespace {

constexpr std::uint64_t halton_stream = 0x68616c746f6eULL;

std::vector<Index> first_primes(Index count) {
  std::vector<Index> primes;
  for (Index candidate = 2; static_cast<Index>(primes.size()) < count; ++candidate) {
    const bool is_prime = std::none_of(primes.begin(), primes.end(), [&](Index prime) {
      return prime * prime <= candidate && candidate % prime == 0;
    });
    if (is_prime) {
      primes.push_back(candidate);
    }
  }
  return primes;
}

}  // namespace

Matrix<double> scrambled_halton(std::uint64_t seed, Index count, Index dimension) {
  Matrix<double> points(count, dimension);
  const std::vector<Index> primes = first_primes(dimension);
  for (Index j = 0; j < dimension; ++j) {
    const Index base = primes[j];
    const int digits = static_cast<int>(std::ceil(53 / std::log2(static_cast<double>(base))));
    RandomStream random(seed, halton_stream + static_cast<std::uint64_t>(j));
    std::vector<std::vector<Index>> permutations;
    for (int k = 0; k < digits; ++k) {
      permutations.push_back(random_permutation(random, base));
    }
    for (Index i = 0; i < count; ++i) {
      Index number = i;
      double place = 1;
      double value = 0;
      for (const std::vector<Index>& permutation : permutations) {
        place /= static_cast<double>(base);
        value += place * static_cast<double>(permutation[number % base]);
        number /= base;
      }
      points(i, j) = std::clamp(value + 0.5 * place, 0x1p-60, 1 - 0x1p-53);
    }
  }
  return points;
}

Matrix<double> halton_normals(std::uint64_t seed, Index count, Index dimension) {
  Matrix<double> points = scrambled_halton(seed, count, dimension);
  for (Index i = 0; i < count * dimension; ++i) {
    points.data()[i] = normal_quantile(points.data()[i]);
  }
  return points;
}

}  // namespace mercer
