// Tree kernels against their definitions: all fragments (or complete subtrees) of both trees listed as text.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "kernels/law_objects.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cross;
using testing::gram;

struct PlainTree {
  std::string label;
  std::vector<PlainTree> children;
};

PlainTree random_plain_tree(RandomStream& random, int depth) {
  PlainTree tree{std::string(1, "AB"[random.below(2)]), {}};
  if (depth > 0 && random.uniform() < 0.8) {
    for (auto count = 1 + random.below(2); count > 0; --count) {
      tree.children.push_back(random_plain_tree(random, depth - 1));
    }
  }
  return tree;
}

std::string text_of(const PlainTree& tree) {
  if (tree.children.empty()) {
    return tree.label;
  }
  std::string text = "(" + tree.label;
  for (const PlainTree& child : tree.children) {
    text += " " + text_of(child);
  }
  return text + ")";
}

int inner_nodes(const PlainTree& tree) {
  int count = tree.children.empty() ? 0 : 1;
  for (const PlainTree& child : tree.children) {
    count += inner_nodes(child);
  }
  return count;
}

struct Fragment {
  std::string text;
  int inner;
};

// Fragments with this root; a child stands in them alone or with one of its own fragments.
std::vector<Fragment> rooted_fragments(const PlainTree& tree) {
  if (tree.children.empty()) {
    return {};
  }
  std::vector<Fragment> all = {{"(" + tree.label, 1}};
  for (const PlainTree& child : tree.children) {
    std::vector<Fragment> choices = rooted_fragments(child);
    choices.push_back({child.label, 0});
    std::vector<Fragment> longer;
    for (const Fragment& begin : all) {
      for (const Fragment& choice : choices) {
        longer.push_back({begin.text + " " + choice.text, begin.inner + choice.inner});
      }
    }
    all = longer;
  }
  for (Fragment& fragment : all) {
    fragment.text += ")";
  }
  return all;
}

using Histogram = std::map<std::string, std::pair<double, int>>;  // number and inner nodes

void add_fragments(const PlainTree& tree, Histogram& out) {
  for (const Fragment& fragment : rooted_fragments(tree)) {
    out[fragment.text].first += 1;
    out[fragment.text].second = fragment.inner;
  }
  for (const PlainTree& child : tree.children) {
    add_fragments(child, out);
  }
}

void add_subtrees(const PlainTree& tree, bool leaves, Histogram& out) {
  if (leaves || !tree.children.empty()) {
    out[text_of(tree)].first += 1;
    out[text_of(tree)].second = inner_nodes(tree);
  }
  for (const PlainTree& child : tree.children) {
    add_subtrees(child, leaves, out);
  }
}

double decayed_product(const Histogram& a, const Histogram& b, double lambda) {
  double sum = 0;
  for (const auto& [text, entry] : a) {
    const auto other = b.find(text);
    sum += other == b.end() ? 0 : std::pow(lambda, entry.second) * entry.first * other->second.first;
  }
  return sum;
}

void expect_gram(const std::string& spec, const Samples& samples, const std::vector<Histogram>& features,
                 double lambda) {
  const Matrix<double> k = gram(spec, samples);
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.columns(); ++j) {
      const double expected = decayed_product(features[i], features[j], lambda);
      ASSERT_NEAR(k(i, j), expected, 1e-11 * std::max(1.0, expected)) << spec << " " << i << "," << j;
    }
  }
}

TEST(TreeKernels, AreTheirDefinitions) {
  RandomStream random(3, 0);
  std::vector<std::string> texts;
  std::vector<Histogram> fragments;
  std::vector<Histogram> subtrees;
  std::vector<Histogram> with_leaves;
  for (int i = 0; i < 25; ++i) {
    const PlainTree tree = random_plain_tree(random, 3);
    texts.push_back(text_of(tree));
    add_fragments(tree, fragments.emplace_back());
    add_subtrees(tree, false, subtrees.emplace_back());
    add_subtrees(tree, true, with_leaves.emplace_back());
  }
  const Samples samples = make_strings(texts);
  expect_gram("subset_tree(lambda=1)", samples, fragments, 1);
  expect_gram("subset_tree(lambda=0.3)", samples, fragments, 0.3);
  expect_gram("collins_duffy()", samples, fragments, 0.4);
  expect_gram("subtree()", samples, subtrees, 1);
  expect_gram("subtree(lambda=0.7, leaves=count)", samples, with_leaves, 0.7);
}

// "the apple" has six fragments (Collins and Duffy 2001); "the pear" shares three of them.
TEST(TreeKernels, TheAppleOfThePaper) {
  const std::vector<std::string> texts = {"(NP (D the) (N apple))", "(NP (D the) (N pear))",
                                          "  ( NP(D the)\n(N\tapple) ) ", "apple", ""};
  const Matrix<double> k = gram("subset_tree(lambda=1)", make_strings(texts));
  EXPECT_EQ(k(0, 0), 6);
  EXPECT_EQ(k(0, 1), 3);
  EXPECT_EQ(k(0, 2), 6) << "white space does not matter";
  EXPECT_EQ(k(3, 3), 0) << "a leaf has no fragment";
  EXPECT_EQ(k(4, 4), 0);
  EXPECT_EQ(k(0, 4), 0);
  const Matrix<double> complete = gram("subtree(leaves=count)", make_strings(texts));
  EXPECT_EQ(complete(0, 0), 5);
  EXPECT_EQ(complete(0, 1), 2) << "(D the) and the";
  EXPECT_EQ(complete(0, 3), 1);
  EXPECT_EQ(complete(4, 4), 0);
  EXPECT_EQ(gram("normalize(subset_tree())", make_strings(texts))(4, 4), 0);
}

TEST(TreeKernels, GraphsAreTreesWithRootZero) {
  // 1(2, 3(2)): vertices are not numbered from the root downwards.
  const std::vector<Graph> graphs = {{4, {{0, 1}, {0, 3}, {3, 2}}, {1, 2, 2, 3}, {}}};
  const Matrix<double> same =
      cross(parse_kernel("subset_tree(lambda=0.5)"), make_graphs(graphs, EdgeDirection::directed),
            make_strings(std::vector<std::string>{"(1 2 (3 2))", "(1 (3 2) 2)"}));
  const double all = gram("subset_tree(lambda=0.5)", make_strings(std::vector<std::string>{"(1 2 (3 2))"}))(0, 0);
  EXPECT_NEAR(same(0, 0), all, 1e-13);
  EXPECT_NEAR(same(0, 1), 0.5, 1e-13) << "children have an order; only (3 2) is common";
}

std::string message_of(const Samples& samples, const std::string& spec = "subset_tree()") {
  try {
    gram(spec, samples);
  } catch (const DataError& error) {
    return error.what();
  } catch (const Error& error) {
    return std::string("other: ") + error.what();
  }
  return "";
}

std::string message_of_graph(const Graph& graph, EdgeDirection direction = EdgeDirection::directed) {
  return message_of(make_graphs(std::vector<Graph>{graph}, direction));
}

void expect_mentions(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "\"" << message << "\" lacks \"" << part << "\"";
}

TEST(TreeKernels, WhatIsNoTreeIsRefusedWithItsPlace) {
  const auto message = [](const std::string& text) {
    return message_of(make_strings(std::vector<std::string>{"A", text}));
  };
  expect_mentions(message("(A (B c)"), "row 1, character 1");
  expect_mentions(message("(A B))"), "row 1, character 6");
  expect_mentions(message("(A B) C"), "row 1, character 7");
  expect_mentions(message("A B"), "character 3");
  expect_mentions(message_of(make_strings(std::vector<std::string>{"(A"}), "subtree()"), "character 1");
  expect_mentions(message_of_graph({3, {{0, 1}, {1, 2}, {2, 0}}, {}, {}}), "vertex 0 has the parent 2");
  expect_mentions(message_of_graph({3, {{0, 1}, {0, 2}, {1, 2}}, {}, {}}), "vertex 2 has the parents 0 and 1");
  expect_mentions(message_of_graph({4, {{0, 1}, {2, 3}, {3, 2}}, {}, {}}), "vertex 2 is not reached");
  expect_mentions(message_of_graph({2, {{0, 1}}, {}, {}}, EdgeDirection::undirected), "vertex 0 has the parent 1");
  expect_mentions(message_of_graph({1, {{0, 0}}, {}, {}}), "vertex 0");
  EXPECT_ERROR(gram("subset_tree()", testing::dense({{1, 2}})), InvalidArgument, "kernel subset_tree compares trees");
  EXPECT_ERROR(parse_kernel("subtree(lambda=1.5)"), InvalidArgument, "kernel spec: subtree: decay = 1.5");
}

TEST(TreeKernels, DepthAndSizeDoNotOverflow) {
  constexpr std::size_t depth = 1'000'000;
  std::string deep;
  for (std::size_t level = 0; level < depth; ++level) {
    deep += "(A";
  }
  deep += std::string(depth, ')');
  const Samples samples = make_strings(std::vector<std::string>{deep, "(A A)"});
  EXPECT_EQ(gram("subtree()", samples)(0, 0), static_cast<double>(depth - 1));
  // One production in all: a million times itself is refused, a million times one is not.
  expect_mentions(message_of(samples), "too many");
  const auto bush = [](int levels) {
    std::string tree = "A";
    for (int level = 0; level < levels; ++level) {
      std::string doubled = "(A ";
      doubled += tree;
      doubled += ' ';
      doubled += tree;
      doubled += ')';
      tree = doubled;
    }
    return make_strings(std::vector<std::string>{tree});
  };
  EXPECT_ERROR(gram("subset_tree(decay=4)", bush(9)), NumericalError,
               "subset_tree: the number of fragments that the trees in rows 0 and 0 share");
  EXPECT_TRUE(std::isfinite(gram("subset_tree(lambda=0.1)", bush(9))(0, 0)));
}

}  // namespace
}  // namespace mercer
