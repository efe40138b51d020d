#include "mercer/data/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"

namespace mercer {

namespace {

void require_folds(Index samples, Index folds, const char* what) {
  if (folds < 2 || folds > samples) {
    reject_argument("folds", std::to_string(folds),
                    "from 2 to the number of " + std::string(what) + ", " + std::to_string(samples));
  }
}

// Members of each class, shuffled: one stream of random numbers per class.
std::map<std::int32_t, std::vector<Index>> shuffled_members(std::span<const std::int32_t> classes, std::uint64_t seed) {
  std::map<std::int32_t, std::vector<Index>> members;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    members[classes[i]].push_back(static_cast<Index>(i));
  }
  for (auto& [code, rows] : members) {
    RandomStream random(seed, static_cast<std::uint64_t>(static_cast<std::int64_t>(code) + 1));
    shuffle(random, rows);
  }
  return members;
}

Split split_by(const std::vector<char>& is_test) {
  Split split;
  for (std::size_t i = 0; i < is_test.size(); ++i) {
    (is_test[i] != 0 ? split.test : split.train).push_back(static_cast<Index>(i));
  }
  return split;
}

Index test_size(Index samples, double fraction) {
  if (!(fraction > 0 && fraction < 1)) {
    reject_argument("test fraction", fraction, "between 0 and 1");
  }
  if (samples < 2) {
    reject_argument("samples", std::to_string(samples), "2 or more to be split into training and test samples");
  }
  const auto rounded = static_cast<Index>(std::llround(fraction * static_cast<double>(samples)));
  return std::clamp<Index>(rounded, 1, samples - 1);
}

}  // namespace

Split Folds::split(Index f) const {
  if (f < 0 || f >= count) {
    reject_argument("fold", std::to_string(f), "from 0 to " + std::to_string(count - 1));
  }
  std::vector<char> is_test;
  is_test.reserve(number.size());
  for (const Index fold : number) {
    is_test.push_back(static_cast<char>(fold == f ? 1 : 0));
  }
  return split_by(is_test);
}

Folds k_fold(Index samples, Index folds, std::uint64_t seed, SampleOrder order) {
  require_folds(samples, folds, "samples");
  RandomStream random(seed);
  std::vector<Index> rows;
  if (order == SampleOrder::shuffled) {
    rows = random_permutation(random, samples);
  } else {
    rows.resize(samples);
    std::iota(rows.begin(), rows.end(), Index{0});
  }
  Folds result{folds, std::vector<Index>(samples)};
  // The first `rest` folds have one sample more.
  const Index size = samples / folds;
  const Index rest = samples % folds;
  for (Index f = 0, position = 0; f < folds; ++f) {
    for (const Index end = position + size + (f < rest ? 1 : 0); position < end; ++position) {
      result.number[rows[position]] = f;
    }
  }
  return result;
}

Folds stratified_k_fold(std::span<const std::int32_t> classes, Index folds, std::uint64_t seed) {
  require_folds(static_cast<Index>(classes.size()), folds, "samples");
  Folds result{folds, std::vector<Index>(classes.size())};
  // Dealing out goes on where the class before stopped, so that the sizes of the folds stay equal too.
  Index next = 0;
  for (const auto& [code, rows] : shuffled_members(classes, seed)) {
    for (const Index row : rows) {
      result.number[row] = next;
      next = (next + 1) % folds;
    }
  }
  return result;
}

Folds group_k_fold(std::span<const std::int32_t> groups, Index folds, std::uint64_t seed) {
  const auto members = shuffled_members(groups, seed);
  require_folds(static_cast<Index>(members.size()), folds, "groups");
  std::vector<const std::vector<Index>*> by_size;
  for (const auto& entry : members) {
    by_size.push_back(&entry.second);
  }
  RandomStream random(seed);
  const std::vector<Index> order = random_permutation(random, static_cast<Index>(by_size.size()));
  std::vector<const std::vector<Index>*> placed;
  for (const Index g : order) {
    placed.push_back(by_size[g]);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto* a, const auto* b) { return a->size() > b->size(); });
  Folds result{folds, std::vector<Index>(groups.size())};
  std::vector<std::size_t> sizes(folds, 0);
  for (const auto* rows : placed) {
    const auto smallest = std::min_element(sizes.begin(), sizes.end());
    *smallest += rows->size();
    for (const Index row : *rows) {
      result.number[row] = smallest - sizes.begin();
    }
  }
  return result;
}

Folds leave_one_out(Index samples) {
  require_folds(samples, samples, "samples");
  Folds result{samples, std::vector<Index>(samples)};
  std::iota(result.number.begin(), result.number.end(), Index{0});
  return result;
}

Split train_test_split(Index samples, double fraction, std::uint64_t seed) {
  const Index count = test_size(samples, fraction);
  RandomStream random(seed);
  const std::vector<Index> rows = random_permutation(random, samples);
  std::vector<char> is_test(samples, 0);
  for (Index i = 0; i < count; ++i) {
    is_test[rows[i]] = 1;
  }
  return split_by(is_test);
}

Split stratified_train_test_split(std::span<const std::int32_t> classes, double fraction, std::uint64_t seed) {
  const auto samples = static_cast<Index>(classes.size());
  const Index count = test_size(samples, fraction);
  const auto members = shuffled_members(classes, seed);
  // Whole parts first, then one more for the classes with the largest remainders (Hamilton's method).
  struct Quota {
    const std::vector<Index>* rows;
    Index whole;
    double remainder;
  };
  std::vector<Quota> quotas;
  Index given = 0;
  for (const auto& [code, rows] : members) {
    const double share = static_cast<double>(count) * static_cast<double>(rows.size()) / static_cast<double>(samples);
    const auto whole = static_cast<Index>(std::floor(share));
    quotas.push_back({&rows, whole, share - static_cast<double>(whole)});
    given += whole;
  }
  std::stable_sort(quotas.begin(), quotas.end(),
                   [](const Quota& a, const Quota& b) { return a.remainder > b.remainder; });
  for (std::size_t q = 0; given < count && q < quotas.size(); ++q, ++given) {
    ++quotas[q].whole;
  }
  std::vector<char> is_test(classes.size(), 0);
  for (const Quota& quota : quotas) {
    for (Index i = 0; i < quota.whole; ++i) {
      is_test[(*quota.rows)[i]] = 1;
    }
  }
  return split_by(is_test);
}

}  // namespace mercer
