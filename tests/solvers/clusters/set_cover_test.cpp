// Covers against the least cover by brute force.
#include "mercer/solvers/clusters/set_cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Lists = std::vector<std::vector<Index>>;

Lists random_neighbors(Index n, double density, std::uint64_t seed) {
  RandomStream random(seed, 77);
  Lists lists(n);
  for (Index i = 0; i < n; ++i) {
    lists[i].push_back(i);
    for (Index j = i + 1; j < n; ++j) {
      if (random.uniform() < density) {
        lists[i].push_back(j);
        lists[j].push_back(i);
      }
    }
  }
  for (std::vector<Index>& list : lists) {
    std::ranges::sort(list);
  }
  return lists;
}

bool covers(const Lists& lists, std::uint64_t chosen) {
  std::uint64_t covered = 0;
  for (std::size_t j = 0; j < lists.size(); ++j) {
    if ((chosen >> j & 1U) != 0) {
      for (const Index i : lists[j]) {
        covered |= std::uint64_t{1} << i;
      }
    }
  }
  return covered == (std::uint64_t{1} << lists.size()) - 1;
}

Index least_cover(const Lists& lists) {
  Index least = static_cast<Index>(lists.size());
  for (std::uint64_t chosen = 0; chosen < std::uint64_t{1} << lists.size(); ++chosen) {
    if (std::popcount(chosen) < least && covers(lists, chosen)) {
      least = std::popcount(chosen);
    }
  }
  return least;
}

std::uint64_t as_bits(const std::vector<Index>& rows) {
  std::uint64_t bits = 0;
  for (const Index row : rows) {
    bits |= std::uint64_t{1} << row;
  }
  return bits;
}

TEST(SetCover, IsACoverWithoutARowTooManyAndItsBoundHolds) {
  Index as_few_as_possible = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Lists lists =
        random_neighbors(4 + static_cast<Index>(seed % 9), 0.05 + 0.1 * static_cast<double>(seed % 5), seed);
    const Index least = least_cover(lists);
    const SetCover greedy = cover_rows(lists, CoverProgram::skip, {});
    const SetCover programmed = cover_rows(lists, CoverProgram::solve, {});
    EXPECT_LE(programmed.rows.size(), greedy.rows.size());
    EXPECT_GE(programmed.bound, greedy.bound);
    as_few_as_possible += static_cast<Index>(programmed.rows.size()) == least ? 1 : 0;
    for (const SetCover& cover : {greedy, programmed}) {
      EXPECT_GE(static_cast<Index>(cover.rows.size()), least);
      EXPECT_LE(cover.bound, static_cast<double>(least) + 1e-9);
      EXPECT_GT(cover.bound, 0);
      EXPECT_TRUE(std::ranges::is_sorted(cover.rows));
      const std::uint64_t chosen = as_bits(cover.rows);
      EXPECT_TRUE(covers(lists, chosen));
      for (const Index row : cover.rows) {
        EXPECT_FALSE(covers(lists, chosen & ~(std::uint64_t{1} << row))) << "row " << row << " is not needed";
      }
    }
  }
  EXPECT_GE(as_few_as_possible, 55);
}

TEST(SetCover, TheProgrammesBoundIsItsValue) {
  // A cycle of 7: every row covers 3, the programme's value is 7/3, the least cover 3.
  Lists cycle(7);
  for (Index i = 0; i < 7; ++i) {
    cycle[i] = {i, (i + 1) % 7, (i + 6) % 7};
    std::ranges::sort(cycle[i]);
  }
  const SetCover cover = cover_rows(cycle, CoverProgram::solve, {});
  EXPECT_NEAR(cover.bound, 7.0 / 3, 1e-6);
  EXPECT_EQ(cover.rows.size(), 3U);
}

TEST(SetCover, OfRowsThatCoverThemselvesAloneAndOfOneThatCoversAll) {
  Lists alone(5);
  Lists star(5);
  for (Index i = 0; i < 5; ++i) {
    alone[i] = {i};
    star[i] =
        i == 2 ? std::vector<Index>{0, 1, 2, 3, 4} : std::vector<Index>{std::min<Index>(i, 2), std::max<Index>(i, 2)};
  }
  for (const CoverProgram program : {CoverProgram::skip, CoverProgram::solve}) {
    const SetCover all = cover_rows(alone, program, {});
    EXPECT_EQ(all.rows, (std::vector<Index>{0, 1, 2, 3, 4}));
    EXPECT_NEAR(all.bound, 5, 1e-6);
    EXPECT_EQ(cover_rows(star, program, {}).rows, std::vector<Index>{2});
  }
  star[1] = {2};
  EXPECT_ERROR(cover_rows(star, CoverProgram::skip, {}), InvalidArgument,
               "row 1 (counted from 0) does not cover itself");
}

}  // namespace
}  // namespace mercer
