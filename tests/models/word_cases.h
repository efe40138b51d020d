// Cases that cover every word and every yes/no of the registry's options, for laws that let none of them pass over: what a
// fit refuses is listed here with the words of its message, and a word that needs company has it here.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/fitted_variants.h"

namespace mercer::testing {

/// Sizes that keep searches short.
struct Size {
  std::string_view model;
  std::string_view settings;
};
inline constexpr Size sizes[] = {
    {"gp", "restarts=0 max_evaluations=10"},
    {"l1vmr", "points=12 count=8 folds=2"},
    {"l1vmc", "points=5 count=8 folds=2"},
    {"pursuit", "restarts=2 max_iterations=100"},
};

struct WordCase {
  const ModelEntry* entry;
  std::vector<OptionSetting> words;
  LawTargets targets = LawTargets::one;
  std::string_view kernel = {};  ///< empty: the model's own

  /// With the sizes.
  std::vector<OptionSetting> settings() const {
    std::vector<OptionSetting> all = words;
    for (const Size& size : sizes) {
      if (size.model == entry->name) {
        const std::vector<OptionSetting> more = settings_of_text(std::string(size.settings));
        all.insert(all.end(), more.begin(), more.end());
      }
    }
    return all;
  }
  LawProblem problem() const { return {.targets = targets, .kernel = kernel}; }
  std::string label() const {
    return entry->name + " " + text_of(words) + ", targets: " + std::string(to_string(targets)) +
           (kernel.empty() ? "" : ", kernel: " + std::string(kernel));
  }
};

/// What a word needs beside it: other settings, other targets, another kernel.
struct Company {
  std::string_view model;
  std::string_view words;
  LawTargets targets = LawTargets::one;
  std::string_view kernel = {};
};
inline constexpr std::string_view polynomial = "poly(degree=2, gamma=1, coef0=1)";
inline constexpr std::string_view histogram_kernel = "additive_chi2()";
inline constexpr Company companies[] = {
    {"ridge", "form=primal", LawTargets::one, "linear()"},
    {"ridge", "form=primal", LawTargets::several, "linear()"},
    {"lssvm", "form=primal", LawTargets::one, "linear()"},
    {"lssvm", "form=primal", LawTargets::several, "linear()"},
    {"mklridge", "form=primal", LawTargets::one, "linear() + linear()"},
    {"gp", "likelihood=student_t inference=laplace"},
    {"gp", "likelihood=student_t inference=ep"},
    {"gp", "likelihood=laplacian inference=map"},
    {"riskr", "loss=density density=-4:0.01,-1:0.2,0:0.4,1:0.2,4:0.01"},
    {"gp", "likelihood=poisson", LawTargets::counts},
    {"svc", "uncertain=yes", LawTargets::degrees},
    {"svc", "decoding=hinge multiclass=ovr", LawTargets::several},
    {"svc", "decoding=linear multiclass=code", LawTargets::several},
    {"svc", "decoding=hamming multiclass=code", LawTargets::several},
    {"nusvc", "decoding=hinge multiclass=code", LawTargets::several},
    {"nusvc", "decoding=linear multiclass=ovr", LawTargets::several},
    {"nusvc", "decoding=hamming multiclass=ovr", LawTargets::several},
    {"linearsvc", "penalty=l1 loss=squared_hinge"},
    {"linearsvc", "penalty=l1 loss=squared_hinge", LawTargets::several},
    {"linearsvr", "penalty=l1 loss=squared_epsilon_insensitive"},
    {"linearsvr", "penalty=l1 loss=squared_epsilon_insensitive", LawTargets::several},
    {"l1vmr", "response=poisson", LawTargets::counts},
    {"l2vmr", "response=poisson", LawTargets::counts},
    {"mapridge", "map=sketch", LawTargets::one, polynomial},
    {"mapridge", "map=chi2", LawTargets::one, histogram_kernel},
    {"maplogit", "map=sketch", LawTargets::one, polynomial},
    {"maplogit", "map=chi2", LawTargets::one, histogram_kernel},
    {"mapsvc", "map=sketch", LawTargets::one, polynomial},
    {"mapsvc", "map=chi2", LawTargets::one, histogram_kernel},
};

/// What a fit with the model's own kernel refuses, and how.
struct Refusal {
  std::string_view model;
  std::string_view setting;
  std::string_view message;                ///< words of it
  std::optional<LawTargets> targets = {};  ///< nothing: one and several
};
inline constexpr std::string_view not_linear = "form = primal: needs a linear kernel on numeric columns";
inline constexpr std::string_view not_gaussian = "Gaussian noise needs no approximation";
inline constexpr std::string_view one_at_a_time = "takes one target at a time, there are 2";
inline constexpr std::string_view by_softmax = "3 classes are fitted by the softmax with Laplace's approximation";
inline constexpr std::string_view negative_rate = "a rate needs targets that are not negative";
inline constexpr std::string_view not_polynomial = "is not poly(degree, gamma, coef0)";
inline constexpr std::string_view not_of_histograms = "is neither additive_chi2() nor intersection()";
inline constexpr std::string_view one_cut = "cuts one value of two classes, there are 3";
inline constexpr std::string_view no_code = "needs multiclass = code or ovr";
inline constexpr Refusal refusals[] = {
    {"ridge", "form=primal", not_linear},
    {"lssvm", "form=primal", not_linear},
    {"mklridge", "form=primal", not_linear},
    {"gp", "likelihood=poisson", "likelihood = poisson needs a whole number, 0 or more", LawTargets::one},
    {"gp", "likelihood=poisson", one_at_a_time, LawTargets::several},
    {"gp", "likelihood=student_t", one_at_a_time, LawTargets::several},
    {"gp", "likelihood=huber", one_at_a_time, LawTargets::several},
    {"gp", "likelihood=laplacian", one_at_a_time, LawTargets::several},
    {"gp", "inference=laplace", not_gaussian},
    {"gp", "inference=ep", not_gaussian},
    {"gp", "inference=map", "inference = map: is for likelihood = laplacian"},
    {"gp", "method=greedy", "method = greedy takes one target", LawTargets::several},
    {"riskr", "loss=density", "needs a table of residuals and densities"},
    {"gpc", "link=probit", by_softmax, LawTargets::several},
    {"gpc", "inference=ep", by_softmax, LawTargets::several},
    {"gpc", "inference=variational", by_softmax, LawTargets::several},
    {"svc", "uncertain=yes", "not numbers: it can be classified, not regressed"},
    {"svc", "decoding=hinge", no_code},
    {"svc", "decoding=linear", no_code},
    {"svc", "decoding=hamming", no_code},
    {"nusvc", "decoding=hinge", no_code},
    {"nusvc", "decoding=linear", no_code},
    {"nusvc", "decoding=hamming", no_code},
    {"linearsvc", "penalty=l1", "must be squared_hinge or squared_epsilon_insensitive with an l1 penalty"},
    {"linearsvr", "penalty=l1", "must be squared_hinge or squared_epsilon_insensitive with an l1 penalty"},
    {"l1vmr", "response=poisson", negative_rate},
    {"l2vmr", "response=poisson", negative_rate},
    {"mapridge", "map=sketch", not_polynomial},
    {"mapridge", "map=chi2", not_of_histograms},
    {"maplogit", "map=sketch", not_polynomial},
    {"maplogit", "map=chi2", not_of_histograms},
    {"mapsvc", "map=sketch", not_polynomial},
    {"mapsvc", "map=chi2", not_of_histograms},
    {"kfd", "form=sparse", "form = sparse tells two classes apart, there are 3", LawTargets::several},
    {"kfd", "threshold=least_squares", one_cut, LawTargets::several},
    {"kfd", "threshold=svm", one_cut, LawTargets::several},
};

inline const Refusal* refusal_of(const WordCase& one) {
  const auto* const found = std::find_if(std::begin(refusals), std::end(refusals), [&](const Refusal& row) {
    const bool is_own_word =
        one.kernel.empty() && (one.targets == LawTargets::one || one.targets == LawTargets::several);
    return is_own_word && row.model == one.entry->name && row.setting == text_of(one.words) &&
           row.targets.value_or(one.targets) == one.targets;
  });
  return found == std::end(refusals) ? nullptr : found;
}

/// The defaults and every other word, with one output and, where the model uses targets, with several; then the companies.
inline std::vector<WordCase> word_cases(const ModelEntry& entry) {
  std::vector<WordCase> cases;
  for (const std::vector<OptionSetting>& words : word_variants(entry)) {
    cases.push_back({&entry, words});
    if (uses_targets(entry)) {
      cases.push_back({&entry, words, LawTargets::several});
    }
  }
  for (const Company& company : companies) {
    if (company.model == entry.name) {
      cases.push_back({&entry, settings_of_text(std::string(company.words)), company.targets, company.kernel});
    }
  }
  return cases;
}

}  // namespace mercer::testing
