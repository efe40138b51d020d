#include "mercer/kernels/string/suffix_automaton.h"

#include <algorithm>
#include <bit>

#include "mercer/kernels/feature_key.h"

namespace mercer {

namespace {

// A table of all transitions is faster than hashing while it stays small.
constexpr std::size_t largest_transition_table = std::size_t{1} << 23;
constexpr std::size_t symbols_per_poll = std::size_t{1} << 16;

std::size_t most_states_of(std::size_t symbols) { return 2 * symbols + 1; }
bool table_is_small(std::size_t symbols, std::size_t letters) {
  return letters <= largest_transition_table / most_states_of(symbols);
}
std::size_t edge_slots(std::size_t symbols) { return std::bit_ceil(5 * symbols + 2); }

}  // namespace

double SuffixAutomaton::most_bytes(std::size_t symbols, std::size_t letters) {
  // A state, its place in the order of lengths, and the starts of these lengths.
  const auto states = static_cast<double>(most_states_of(symbols));
  const double of_states =
      states * (sizeof(Node) + sizeof(std::int32_t)) + static_cast<double>(symbols + 2) * sizeof(std::int32_t);
  if (table_is_small(symbols, letters)) {
    return of_states + states * static_cast<double>(letters * sizeof(Move));
  }
  return of_states + states * sizeof(std::int32_t) + static_cast<double>(edge_slots(symbols) * sizeof(Edge));
}

SuffixAutomaton::SuffixAutomaton(std::span<const std::int32_t> symbols, std::int32_t letters,
                                 std::span<const double> totals, const Run& run)
    : letters_(letters), totals_(totals) {
  const std::size_t most_states = most_states_of(symbols.size());
  has_table_ = table_is_small(symbols.size(), static_cast<std::size_t>(letters));
  nodes_.reserve(most_states);
  if (has_table_) {
    table_.reserve(most_states * static_cast<std::size_t>(letters));
  } else {
    edges_.resize(edge_slots(symbols.size()));
    first_edge_.reserve(most_states);
  }
  add_state(0);
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    if (at % symbols_per_poll == 0) {
      run.check_stop();
    }
    append(symbols[at]);
  }
  run.check_stop();
  const std::vector<std::int32_t> order = states_by_length();
  add_up(order);
  if (has_table_) {
    complete_moves(order);
  }
}

std::int32_t SuffixAutomaton::add_state(std::int32_t length) {
  nodes_.push_back({.length = length});
  if (has_table_) {
    table_.resize(table_.size() + static_cast<std::size_t>(letters_));
  } else {
    first_edge_.push_back(-1);
  }
  return static_cast<std::int32_t>(nodes_.size() - 1);
}

std::size_t SuffixAutomaton::slot(std::int32_t state, std::int32_t symbol) const {
  const std::uint64_t pair =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(state)) << 32) | static_cast<std::uint32_t>(symbol);
  std::size_t at = mixed_bits(pair) & (edges_.size() - 1);
  while (edges_[at].state >= 0 && (edges_[at].state != state || edges_[at].symbol != symbol)) {
    at = (at + 1) & (edges_.size() - 1);
  }
  return at;
}

std::int32_t SuffixAutomaton::target(std::int32_t state, std::int32_t symbol) const {
  if (has_table_) {
    return table_[cell(state, symbol)].target;
  }
  const Edge& edge = edges_[slot(state, symbol)];
  return edge.state < 0 ? -1 : edge.target;
}

void SuffixAutomaton::set_target(std::int32_t state, std::int32_t symbol, std::int32_t target) {
  if (has_table_) {
    table_[cell(state, symbol)].target = target;
    return;
  }
  const std::size_t at = slot(state, symbol);
  if (edges_[at].state < 0) {
    std::int32_t& first = first_edge_[state];
    edges_[at] = {state, symbol, target, first};
    first = static_cast<std::int32_t>(at);
  }
  edges_[at].target = target;
}

void SuffixAutomaton::copy_targets(std::int32_t from, std::int32_t to) {
  if (has_table_) {
    const auto width = static_cast<std::ptrdiff_t>(letters_);
    std::copy_n(table_.begin() + from * width, width, table_.begin() + to * width);
    return;
  }
  for (std::int32_t at = first_edge_[from]; at >= 0; at = edges_[at].next) {
    const Edge edge = edges_[at];
    set_target(to, edge.symbol, edge.target);
  }
}

void SuffixAutomaton::append(std::int32_t symbol) {
  const std::int32_t whole = add_state(nodes_[last_].length + 1);
  nodes_[whole].occurrences = 1;
  std::int32_t state = last_;
  last_ = whole;
  while (state >= 0 && target(state, symbol) < 0) {
    set_target(state, symbol, whole);
    state = nodes_[state].link;
  }
  if (state < 0) {
    nodes_[whole].link = 0;
    return;
  }
  const std::int32_t next = target(state, symbol);
  const std::int32_t length = nodes_[state].length + 1;
  if (nodes_[next].length == length) {
    nodes_[whole].link = next;
    return;
  }
  // The shorter substrings of `next` now end in one place more than its longer ones: they get a state of their own.
  const std::int32_t split = add_state(length);
  copy_targets(next, split);
  nodes_[split].link = nodes_[next].link;
  nodes_[next].link = split;
  nodes_[whole].link = split;
  while (state >= 0 && target(state, symbol) == next) {
    set_target(state, symbol, split);
    state = nodes_[state].link;
  }
}

std::vector<std::int32_t> SuffixAutomaton::states_by_length() const {
  std::vector<std::int32_t> starts(static_cast<std::size_t>(nodes_[last_].length) + 2, 0);
  for (const Node& node : nodes_) {
    ++starts[static_cast<std::size_t>(node.length) + 1];
  }
  for (std::size_t length = 1; length < starts.size(); ++length) {
    starts[length] += starts[length - 1];
  }
  std::vector<std::int32_t> order(nodes_.size());
  for (std::size_t state = 0; state < nodes_.size(); ++state) {
    order[starts[nodes_[state].length]++] = static_cast<std::int32_t>(state);
  }
  return order;
}

// Occurrences flow from longer substrings to their suffixes, sums from suffixes to the longer.
void SuffixAutomaton::add_up(std::span<const std::int32_t> order) {
  for (std::size_t at = order.size() - 1; at > 0; --at) {
    const Node& node = nodes_[order[at]];
    nodes_[node.link].occurrences += node.occurrences;
  }
  nodes_[0].occurrences = 0;  // the empty string is no feature
  for (std::size_t at = 1; at < order.size(); ++at) {
    Node& node = nodes_[order[at]];
    const Node& link = nodes_[node.link];
    node.link_length = link.length;
    node.link_sum = weighted_occurrences({node.link, link.length});
  }
}

void SuffixAutomaton::complete_moves(std::span<const std::int32_t> order) {
  for (std::int32_t symbol = 0; symbol < letters_; ++symbol) {
    Move& move = table_[cell(0, symbol)];
    move = move.target < 0 ? Move{0, 0} : move;
  }
  for (const std::int32_t state : order.subspan(1)) {
    const std::int32_t link = nodes_[state].link;
    for (std::int32_t symbol = 0; symbol < letters_; ++symbol) {
      Move& move = table_[cell(state, symbol)];
      if (move.target < 0) {
        move = table_[cell(link, symbol)];
        move.length = move.length < 0 ? nodes_[link].length + 1 : move.length;
      }
    }
  }
}

void SuffixAutomaton::read_by_links(Walk& walk, std::int32_t symbol) const {
  std::int32_t next = target(walk.state, symbol);
  while (next < 0 && walk.state != 0) {
    walk.state = nodes_[walk.state].link;
    walk.length = nodes_[walk.state].length;
    next = target(walk.state, symbol);
  }
  if (next < 0) {
    return;
  }
  walk.state = next;
  ++walk.length;
}

}  // namespace mercer
