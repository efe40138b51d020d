#include "mercer/kernels/spec.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {
namespace {

std::string printed(std::string_view text) { return parse_kernel(text).spec(); }

std::string error_of(std::string_view text) {
  try {
    parse_kernel(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The column of the caret, counted from the start of the shown text.
std::size_t caret(const std::string& message) { return message.size() - 1 - (message.rfind('\n') + 3); }

Kernel rbf(double gamma) { return make_kernel("rbf", {{"gamma", ParameterValue::number(gamma)}}); }
Kernel linear() { return make_kernel("linear"); }

TEST(Spec, ReadsOperatorsAsTheAlgebraDoes) {
  EXPECT_EQ(parse_kernel("rbf(gamma=0.5)"), rbf(0.5));
  EXPECT_EQ(parse_kernel("rbf(gamma=0.5)+linear()"), rbf(0.5) + linear());
  EXPECT_EQ(parse_kernel(" rbf ( gamma = 0.5 )\n*\tlinear "), rbf(0.5) * linear());
  EXPECT_EQ(parse_kernel("0.5*rbf(gamma=1) + linear()*linear()"), 0.5 * rbf(1) + linear() * linear());
  EXPECT_EQ(parse_kernel("(rbf(gamma=1) + linear)*linear"), (rbf(1) + linear()) * linear());
  EXPECT_EQ(parse_kernel("linear^2"), pow(linear(), 2));
  EXPECT_EQ(parse_kernel("(linear^2)^0.5"), pow(pow(linear(), 2), 0.5));
  EXPECT_EQ(parse_kernel("2*linear^2*rbf(gamma=1)"), 2 * (pow(linear(), 2) * rbf(1)));
  EXPECT_EQ(parse_kernel("linear^2^3"), pow(linear(), 8));
  EXPECT_EQ(parse_kernel("(((linear)))"), linear());
  EXPECT_EQ(parse_kernel("sum(linear(), sum(linear(), rbf(gamma=1)))"), sum({linear(), linear(), rbf(1)}));
  EXPECT_EQ(parse_kernel("product(linear)"), linear());
  EXPECT_EQ(parse_kernel("gaussian(gamma=1)"), rbf(1));
}

TEST(Spec, NumbersScaleTheProductTheyStandIn) {
  EXPECT_EQ(parse_kernel("2*0.5*linear()"), 2 * (0.5 * linear()));
  EXPECT_EQ(parse_kernel("linear()*0.5"), 0.5 * linear());
  EXPECT_EQ(parse_kernel("2*linear()*3*rbf(gamma=1)"), 2 * (3 * (linear() * rbf(1))));
  EXPECT_EQ(parse_kernel("-1*linear()"), -1 * linear());
  EXPECT_EQ(parse_kernel("linear() + -2^2*linear()"), linear() + -4 * linear());
  EXPECT_EQ(parse_kernel("2^-3*linear()"), 0.125 * linear());
  EXPECT_EQ(parse_kernel("linear() * (2*linear())"), linear() * (2 * linear()));
  EXPECT_EQ(parse_kernel(".5*linear"), 0.5 * linear());
  EXPECT_EQ(parse_kernel("5.*linear"), 5 * linear());
  EXPECT_EQ(parse_kernel("1E-5*linear"), 1e-5 * linear());
}

TEST(Spec, ScalesMayBeFixedBoundedOrSearched) {
  ParameterValue bounded = ParameterValue::number(0.5);
  bounded.bounds = Interval{0.1, 10};
  EXPECT_EQ(parse_kernel("(0.5 in 0.1..10)*linear()"), scaled(bounded, linear()));
  EXPECT_EQ(parse_kernel("0.5 in 0.1..10*linear()"), scaled(bounded, linear()));
  EXPECT_EQ(parse_kernel("linear()*0.5 in 0.1..10"), scaled(bounded, linear()));
  ParameterValue fixed = ParameterValue::number(2);
  fixed.fixed = true;
  EXPECT_EQ(parse_kernel("2!*linear()"), scaled(fixed, linear()));
  ParameterValue range;
  range.search = Interval{1, 8};
  EXPECT_EQ(parse_kernel("1..8*linear()"), scaled(range, linear()));
  EXPECT_NE(parse_kernel("2!*linear()"), parse_kernel("2*linear()"));
  EXPECT_TRUE(parse_kernel("2!*linear()").scale_parameters().at(0).fixed);
  EXPECT_EQ(parse_kernel("0.5 in 0.1..10*linear()").scale_parameters().at(0).bounds, (Interval{0.1, 10}));
}

TEST(Spec, NumbersThatScaleNothingAreConstants) {
  const auto constant = [](double value) {
    return make_kernel("constant", {{"value", ParameterValue::number(value)}});
  };
  EXPECT_EQ(parse_kernel("linear() + 1"), linear() + constant(1));
  EXPECT_EQ(parse_kernel("1"), constant(1));
  EXPECT_EQ(parse_kernel("2*3"), 2 * constant(3));
  EXPECT_EQ(parse_kernel("(1 + linear())^2"), pow(constant(1) + linear(), 2));
  EXPECT_EQ(parse_kernel("(2)^3"), pow(constant(2), 3));
}

TEST(Spec, ReadsValues) {
  EXPECT_EQ(printed("rbf(lengthscale=[1,2,inf])"), "rbf(lengthscale=[1, 2, inf])");
  EXPECT_EQ(printed("rbf(length_scale=2^2)"), "rbf(lengthscale=4)");
  EXPECT_EQ(printed("rbf(gamma=scale)"), "rbf(gamma=scale)");
  EXPECT_EQ(printed("rbf(gamma=auto)"), "rbf(gamma=auto)");
  EXPECT_EQ(printed("rbf(gamma=median!)"), "rbf(gamma=median!)");
  EXPECT_EQ(printed("rbf(gamma=1!)"), "rbf(gamma=1!)");
  EXPECT_EQ(printed("rbf(gamma=1 in .1..10!)"), "rbf(gamma=1! in 0.1..10)");
  EXPECT_EQ(printed("rbf(gamma=1in.1..inf)"), "rbf(gamma=1 in 0.1..inf)");
  EXPECT_EQ(printed("rbf(gamma=2^-15..2^3)"), "rbf(gamma=2^-15..2^3)");
  EXPECT_EQ(printed("rbf(gamma=1..2)"), "rbf(gamma=1..2)");
  EXPECT_EQ(printed("rbf(gamma=1e-3..1.5)"), "rbf(gamma=0.001..1.5)");
  EXPECT_EQ(printed("rbf(gamma=0.1)"), "rbf(gamma=0.1)");
}

TEST(Spec, ReadsColumns) {
  const ColumnSelection selection{
      {ColumnName{"age"}, ColumnName{"body \"mass\" \\ä"}, ColumnSpan{0, 3}, ColumnSpan{7, 8}}};
  EXPECT_EQ(parse_kernel(R"(rbf(gamma=1)[age, "body \"mass\" \\ä", 0:3, 7])"), on_columns(rbf(1), selection));
  EXPECT_EQ(parse_kernel("linear[in][scale]"),
            on_columns(on_columns(linear(), {{ColumnName{"in"}}}), {{ColumnName{"scale"}}}));
  EXPECT_EQ(parse_kernel("linear[0]^2"), pow(on_columns(linear(), {{ColumnSpan{0, 1}}}), 2));
  EXPECT_EQ(parse_kernel("(linear^2)[0]"), on_columns(pow(linear(), 2), {{ColumnSpan{0, 1}}}));
  EXPECT_EQ(parse_kernel("linear[\"a\nb\"]"), on_columns(linear(), {{ColumnName{"a\nb"}}}));
}

TEST(Spec, ErrorsPointAndSuggest) {
  EXPECT_EQ(error_of("0.5*rfb(gamma=1)"),
            "kernel spec: unknown kernel 'rfb'. Did you mean 'rbf'?\n  0.5*rfb(gamma=1)\n      ^");
  EXPECT_EQ(first_line(error_of("rbf(gama=1)")),
            "kernel spec: rbf has no parameter 'gama'. Did you mean 'gamma'? There are: gamma, lengthscale.");
  EXPECT_EQ(caret(error_of("rbf(gama=1)")), 4u);
  EXPECT_EQ(first_line(error_of("linear + rbf(gamma=-1)")),
            "kernel spec: rbf: gamma = -1: must be a positive number, or one of scale, auto, median");
  EXPECT_EQ(caret(error_of("linear + rbf(gamma=-1)")), 19u);
  // The caret counts characters, not bytes.
  EXPECT_EQ(caret(error_of("linear[\"größe\"] + rfb")), 18u);
  EXPECT_EQ(caret(error_of("linear\n+\trfb")), 9u);
  EXPECT_EQ(caret(error_of("linear + ")), 9u);
  EXPECT_EQ(first_line(error_of("rbf(gamma=sacle)")),
            "kernel spec: gamma takes a number or one of scale, auto, median, not 'sacle'. Did you mean 'scale'?");
}

TEST(Spec, WindowsOfLongTextsKeepTheCaretInPlace) {
  std::string text = "linear";
  for (int i = 0; i < 100; ++i) {
    text += " + linear";
  }
  const std::string message = error_of(text + " + rfb" + text);
  const std::size_t second = message.find('\n') + 1;
  const std::string shown = message.substr(second + 2, message.rfind('\n') - second - 2);
  EXPECT_LT(shown.size(), 120u);
  EXPECT_EQ(shown.substr(caret(message), 3), "rfb");
}

TEST(Spec, RefusesWhatHasNoMeaning) {
  for (const char* text : {"",
                           "  ",
                           "+",
                           "rbf(",
                           "rbf)",
                           "rbf()rbf()",
                           "rbf(,)",
                           "rbf(0.5)",
                           "rbf(gamma)",
                           "rbf(gamma=)",
                           "rbf(gamma=1,)",
                           "rbf(gamma=1 2)",
                           "rbf(linear())",
                           "-rbf()",
                           "rbf()-rbf()",
                           "rbf()**2",
                           "rbf()/2",
                           "rbf()^",
                           "rbf()^x",
                           "linear^2^3^4",
                           "2^3^4*linear",
                           "rbf()[",
                           "rbf()[]",
                           "rbf()[0",
                           "rbf()[-1]",
                           "rbf()[1.5]",
                           "rbf()[3:3]",
                           "rbf()[3:1]",
                           "rbf()[0:]",
                           "rbf()[99999999999999999999]",
                           "rbf()['a']",
                           "rbf()[\"a]",
                           "rbf()[\"\\q\"]",
                           "rbf(gamma=[1,2])",
                           "rbf(gamma=inf)",
                           "rbf(gamma=nan)",
                           "rbf(gamma=1e999)",
                           "rbf(gamma=10^400)",
                           "rbf(gamma=0^-1)",
                           "rbf(gamma=1!!)",
                           "rbf(gamma=1 in 2..3)",
                           "rbf(gamma=1 in 3)",
                           "rbf(gamma=1 in 0..3)",
                           "rbf(gamma=3..1)",
                           "rbf(gamma=1..2!)",
                           "rbf(lengthscale=[])",
                           "rbf(lengthscale=[1,])",
                           "rbf(lengthscale=[1 2])",
                           "rbf(gamma=\"scale\")",
                           "rbf(gamma=1, gamma=2)",
                           "rbf(lengthscale=1, length_scale=1)",
                           "poly(degree=2.5)",
                           "poly(degree=2, linear())",
                           "poly(degree=scale)",
                           "poly(2)",
                           "poly(linear(), linear())",
                           "linear(x=1)",
                           "inf*linear",
                           "1e999*linear",
                           "rbf\xC3\xA4",
                           "rbf(gamma=1;2)",
                           "linear^inf",
                           "columns(linear)",
                           "1 in 2..3*linear",
                           "linear + 1 in 0.5"}) {
    const std::string message = error_of(text);
    EXPECT_NE(message, "") << text;
    if (std::string(text).find_first_not_of(' ') != std::string::npos) {
      EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 2) << text << "\n" << message;
    }
  }
}

TEST(Spec, DepthAndLengthAreBounded) {
  const auto repeated = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
      result += text;
    }
    return result;
  };
  EXPECT_EQ(error_of(repeated("(", 90) + "linear" + repeated(")", 90)), "");
  for (const int times : {101, 100'000}) {
    EXPECT_NE(error_of(repeated("(", times) + "linear" + repeated(")", times)), "");
    EXPECT_NE(error_of(repeated("poly(", times) + "linear" + repeated(")", times)), "");
    EXPECT_NE(error_of(repeated("2*", times) + "linear"), "");
    EXPECT_NE(error_of("linear" + repeated("[0]", times)), "");
    EXPECT_NE(error_of(repeated("(", times) + "linear" + repeated("^2)", times)), "");
  }
  // Wide is not deep.
  EXPECT_EQ(parse_kernel("linear" + repeated("+linear", 10'000)).node().children().size(), 10'001u);
  EXPECT_NE(error_of(repeated(" ", 1'000'001)), "");
  EXPECT_NE(error_of(std::string(900'000, 'x')), "");
  EXPECT_NE(error_of("rbf(" + std::string(900'000, 'x') + "=1)"), "");
  EXPECT_NE(error_of("rbf(gamma=" + std::string(900'000, 'x') + ")"), "");
}

TEST(Spec, ExamplesOfTheRegistryPrintAndParse) {
  for (const KernelEntry* entry : kernel_registry()) {
    for (const std::string& example : entry->examples) {
      SCOPED_TRACE(example);
      const Kernel kernel = parse_kernel(example);
      EXPECT_EQ(parse_kernel(kernel.spec()), kernel);
      EXPECT_EQ(parse_kernel(kernel.spec()).spec(), kernel.spec());
    }
  }
}

// ---- Random expressions ---------------------------------------------------------------------------------------

class RandomKernel {
 public:
  explicit RandomKernel(std::uint64_t seed) : random_(seed, 3) {}

  Kernel make(int depth) {
    if (depth == 0 || random_.below(6) == 0) {
      return leaf();
    }
    switch (random_.below(6)) {
      case 0:
        return sum(several(depth));
      case 1:
        return product(several(depth));
      case 2:
        return scaled(value(), make(depth - 1));
      case 3:
        return pow(make(depth - 1), number());
      case 4:
        return on_columns(make(depth - 1), columns());
      default:
        return make_kernel("poly", {{"coef0", value()}}, {make(depth - 1)});
    }
  }

 private:
  std::vector<Kernel> several(int depth) {
    std::vector<Kernel> kernels;
    for (std::uint64_t i = 0; i < 1 + random_.below(3); ++i) {
      kernels.push_back(make(depth - 1));
    }
    return kernels;
  }

  // Magnitudes over the whole range of doubles, so that every printed form occurs.
  double number() {
    const double sign = random_.below(3) == 0 ? -1 : 1;
    return random_.below(2) == 0 ? sign * static_cast<double>(random_.below(100))
                                 : sign * std::exp(40 * (random_.uniform() - 0.5)) * random_.uniform();
  }

  ParameterValue value() {
    ParameterValue result = ParameterValue::number(number());
    result.fixed = random_.below(3) == 0;
    if (random_.below(3) == 0) {
      result.bounds = Interval{result.numbers[0] - random_.uniform(), result.numbers[0] + random_.uniform()};
    }
    return result;
  }

  Kernel leaf() {
    switch (random_.below(4)) {
      case 0:
        return linear();
      case 1:
        return make_kernel("rbf", {{"lengthscale", ParameterValue::list({1 / random_.uniform(), HUGE_VAL})}});
      case 2:
        return make_kernel("rbf", {{"gamma", ParameterValue::of_width(WidthRule::median)}});
      default:
        return rbf(random_.uniform());
    }
  }

  ColumnSelection columns() {
    static const std::vector<std::string> names = {"a",  "in",   "inf", "b c", "",      "\"",
                                                   "\\", "\\\"", "0",   "x]",  "größe", "\n"};
    ColumnSelection selection;
    for (std::uint64_t i = 0; i < 1 + random_.below(3); ++i) {
      const auto begin = static_cast<Index>(random_.below(5));
      if (random_.below(2) == 0) {
        selection.references.emplace_back(ColumnName{names[random_.below(names.size())]});
      } else {
        selection.references.emplace_back(ColumnSpan{begin, begin + 1 + static_cast<Index>(random_.below(3))});
      }
    }
    return selection;
  }

  RandomStream random_;
};

void expect_same_tree(const KernelNode& a, const KernelNode& b) {
  EXPECT_EQ(a.entry().name, b.entry().name);
  ASSERT_EQ(a.children().size(), b.children().size());
  ASSERT_EQ(a.parameters().all().size(), b.parameters().all().size());
  for (std::size_t p = 0; p < a.parameters().all().size(); ++p) {
    EXPECT_EQ(a.parameters().all()[p].spec, b.parameters().all()[p].spec);
    EXPECT_EQ(a.parameters().all()[p].value, b.parameters().all()[p].value);
  }
  for (std::size_t c = 0; c < a.children().size(); ++c) {
    expect_same_tree(a.child(c), b.child(c));
  }
}

TEST(Spec, RandomExpressionsPrintAndParseToTheSameTree) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Kernel kernel = RandomKernel(seed).make(static_cast<int>(seed % 6));
    SCOPED_TRACE(kernel.spec());
    const Kernel again = parse_kernel(kernel.spec());
    ASSERT_EQ(again.spec(), kernel.spec());
    expect_same_tree(kernel.node(), again.node());
    if (HasFailure()) {
      return;
    }
  }
}

// Mutilated texts are refused with a message or read; nothing else may happen.
TEST(Spec, RandomDamageIsHarmless) {
  const std::string alphabet = "()[]+*^!,=:.\"\\ -0123einf scale";
  RandomStream random(5);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    std::string text = RandomKernel(seed).make(3).spec();
    for (std::uint64_t i = 0; i < 1 + random.below(4); ++i) {
      text[random.below(text.size())] = alphabet[random.below(alphabet.size())];
    }
    try {
      const Kernel kernel = parse_kernel(text);
      EXPECT_EQ(parse_kernel(kernel.spec()), kernel) << text;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("kernel spec: "), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace mercer
