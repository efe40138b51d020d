// Fisher kernel of a Markov chain of order L (order 0: the categorical model), with n_ca the number of windows of x that are
// context c followed by symbol a, n_c = Σ_a n_ca, and m_c the mean number of visits of context c in a string:
//
//   fisher   Σ_c Σ_a (n_ca − n_c θ_ca)(n'_ca − n'_c θ_ca)/(m_c θ_ca)    the same for any coordinates of θ
//   plain    Σ_c Σ_a n_ca n'_ca/θ_ca²          by θ as if it were free; with all θ equal it is |A|² times spectrum(k = L + 1)
//   sample   the inverse mean outer product of (n_ca − n_c θ_ca)/√(m_c θ_ca) over the training strings
//
// The term of the first L symbols is dropped. Contexts that no training string has (m_c = 0) carry no information and do not
// count, except in the plain kernel. Windows with symbols outside the alphabet are skipped. Features are sparse: O(length)
// of them (times |A| except in the plain kernel).
//
// References: Jaakkola & Haussler (1999); Saunders, Shawe-Taylor & Vinokourov (2003), String kernels, Fisher kernels and
// finite state automata; Murphy (2012), 14.2.7.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& fisher_markov_entry();

}  // namespace mercer
