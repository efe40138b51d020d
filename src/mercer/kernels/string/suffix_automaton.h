// The suffix automaton of one string: the smallest automaton whose paths from the start spell the string's substrings. It
// has at most 2n states and 3n transitions and is built in O(n) (Blumer et al. 1985). A state stands for all substrings
// that end in the same places, one of each length in (length of its link, its own length]; the link leads to the state
// of the next shorter suffixes.
//
// With the numbers of occurrences, and Σ over all suffixes of a state's longest substring of weight times occurrences
// kept in the state, the sum Σ_s w_|s| count_s(x) count_s(y) over all substrings takes one walk along y in O(|y|)
// (Vishwanathan, Smola 2004, who do it with suffix trees).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/run.h"

namespace mercer {

class SuffixAutomaton {
 public:
  /// `symbols` are numbers in [0, letters). `totals[n]` = w_1 + … + w_n for n = 0 … symbols.size(); the automaton refers
  /// to them. Polls the stop token of `run` (Stopped).
  SuffixAutomaton(std::span<const std::int32_t> symbols, std::int32_t letters, std::span<const double> totals,
                  const Run& run);

  /// The most bytes that an automaton of n symbols takes while it is built: 32 bytes and 4 of order for each of at most
  /// 2n states, and a table of all moves while that is small, else 80 to 160 bytes of hashed transitions a symbol.
  static double most_bytes(std::size_t symbols, std::size_t letters);

  /// Where a walk stands: the longest suffix of what was read that is a substring of x has `length` symbols and is
  /// spelt by `state`.
  struct Walk {
    std::int32_t state = 0;
    std::int32_t length = 0;
  };

  /// Reads one symbol more, any number outside [0, letters) being one that x does not have.
  void read(Walk& walk, std::int32_t symbol) const {
    if (symbol < 0 || symbol >= letters_) {
      walk = {};
    } else if (has_table_) {
      const Move& move = table_[cell(walk.state, symbol)];
      walk = {move.target, move.length < 0 ? walk.length + 1 : move.length};
    } else {
      read_by_links(walk, symbol);
    }
  }
  /// Σ over the nonempty suffixes of what was read of weight times occurrences in x.
  double weighted_occurrences(const Walk& walk) const {
    const Node& node = nodes_[walk.state];
    return node.link_sum + node.occurrences * (totals_[walk.length] - totals_[node.link_length]);
  }

 private:
  struct Node {
    std::int32_t length = 0;  // of the longest substring
    std::int32_t link = -1;
    std::int32_t link_length = 0;
    double occurrences = 0;
    double link_sum = 0;  // Σ over the shorter suffixes, those of the states along the links
  };
  // What one symbol does: a transition, or, where there is none, the one of the nearest suffix that has one, with the
  // length of what then still matches. No search along the links while reading: branches there cannot be foretold.
  struct Move {
    std::int32_t target = -1;
    std::int32_t length = -1;  // -1: a transition, one symbol more matches
  };
  // Transitions of large alphabets stand in one hash table; those of one state are chained.
  struct Edge {
    std::int32_t state = -1;
    std::int32_t symbol = 0;
    std::int32_t target = 0;
    std::int32_t next = -1;
  };

  std::size_t cell(std::int32_t state, std::int32_t symbol) const {
    return static_cast<std::size_t>(state) * static_cast<std::size_t>(letters_) + static_cast<std::size_t>(symbol);
  }
  void append(std::int32_t symbol);
  std::int32_t add_state(std::int32_t length);
  std::int32_t target(std::int32_t state, std::int32_t symbol) const;
  void set_target(std::int32_t state, std::int32_t symbol, std::int32_t target);
  void copy_targets(std::int32_t from, std::int32_t to);
  std::size_t slot(std::int32_t state, std::int32_t symbol) const;
  std::vector<std::int32_t> states_by_length() const;
  void add_up(std::span<const std::int32_t> order);
  void complete_moves(std::span<const std::int32_t> order);
  void read_by_links(Walk& walk, std::int32_t symbol) const;

  std::int32_t letters_;
  bool has_table_;
  std::span<const double> totals_;
  std::vector<Node> nodes_;
  std::int32_t last_ = 0;
  std::vector<Move> table_;  // states × letters
  std::vector<Edge> edges_;  // open addressing
  std::vector<std::int32_t> first_edge_;
};

}  // namespace mercer
