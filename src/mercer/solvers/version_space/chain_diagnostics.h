// How well chains of draws agree, and how many independent draws they are worth.
//
//   split R̂ = √(V/W),   W the mean variance within the halves of chains, V = W (1 − 1/n) + B/n with B/n the variance of their means
//   effective size = N/(1 + 2Σ_t ρ_t),   ρ_t = 1 − (mean squared difference of draws t apart)/(2V)
//
// with the sum cut where two neighbors together are no longer positive (Geyer). R̂ is 1 where the halves of every chain tell
// the same. Gelman, Carlin, Stern, Dunson, Vehtari & Rubin, Bayesian data analysis, 3rd ed., 11.4-11.5.
#pragma once

#include <vector>

namespace mercer {

struct ChainDiagnostics {
  double split_r_hat = 1;
  double effective_size = 0;
};

/// One vector of draws of a quantity per chain, all of the same even length of 4 at least; a quantity that never moves has
/// R̂ = 1 and as many draws as there are. O(draws · lags).
ChainDiagnostics diagnose_chains(const std::vector<std::vector<double>>& chains);

}  // namespace mercer
