// Every word and every yes/no of every option, of every model of the registry, survives the way into a file and back: the
// loaded model answers with the same bits, says the same settings and is written as the same bytes. A new word is tested
// as it stands; one that a fit refuses is listed in models/word_cases.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mercer/base/error.h"
#include "mercer/io/model_file.h"
#include "models/law_answers.h"
#include "models/word_cases.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::every_answer;
using testing::random_samples;
using testing::refusal_of;
using testing::same_bits;
using testing::shared_fit;
using testing::word_cases;
using testing::WordCase;

// Null, and a failure, where the fit does what the list of refusals does not say.
const StoredModel* fitted(const WordCase& one) {
  if (const testing::Refusal* const refusal = refusal_of(one)) {
    EXPECT_ERROR(shared_fit(*one.entry, one.settings(), one.problem()), Error, std::string(refusal->message));
    return nullptr;
  }
  try {
    return &shared_fit(*one.entry, one.settings(), one.problem());
  } catch (const Error& error) {
    ADD_FAILURE() << "refused, and not in the list of models/word_cases.h: " << error.what();
    return nullptr;
  }
}

void expect_same_answers(const FittedModel& model, const FittedModel& loaded) {
  EXPECT_EQ(loaded.name(), model.name());
  EXPECT_EQ(loaded.task(), model.task());
  EXPECT_EQ(loaded.output_names(), model.output_names());
  EXPECT_EQ(loaded.classes(), model.classes());
  EXPECT_EQ(loaded.decision_names(), model.decision_names());
  EXPECT_EQ(loaded.report().notes, model.report().notes);
  ASSERT_EQ(loaded.has_kernel(), model.has_kernel());
  if (model.has_kernel()) {
    EXPECT_EQ(loaded.kernel(), model.kernel());
  }
  ASSERT_EQ(loaded.expansion_form() == nullptr, model.expansion_form() == nullptr);
  const Samples x = random_samples(9, 3, 53);
  const auto expected = every_answer(model, x);
  const auto answers = every_answer(loaded, x);
  ASSERT_EQ(answers.size(), expected.size());
  for (const auto& [name, values] : expected) {
    ASSERT_TRUE(answers.contains(name)) << name;
    EXPECT_TRUE(same_bits(answers.at(name), values)) << name;
  }
}

// As it was set, or as it is by default.
std::string value_in(const WordCase& one, const OptionDescription& option) {
  const std::vector<OptionSetting> settings = one.settings();
  const auto set = std::ranges::find(settings, option.name, &OptionSetting::name);
  return set == settings.end() ? option.default_value : set->value;
}

// Whether a fit that was given the value may say another: one that it chose.
bool is_choice(const OptionDescription& option, const std::string& value, const std::string& said) {
  const std::vector<std::string> words = testing::words_of(option);
  return value.empty() || ((value == "auto" || value == "automatic") && std::ranges::count(words, said) > 0);
}

// A model that a fit gives under another name speaks of the options of that one.
void expect_settings(const WordCase& one, const FittedModel& loaded) {
  const std::vector<OptionDescription>& known = find_model(fitted_name(*one.entry)).options;
  const std::vector<OptionSetting> settings = loaded.head().settings;
  for (const OptionDescription& option : one.entry->options) {
    const auto same = std::ranges::find(known, option.name, &OptionDescription::name);
    if (same == known.end() || same->type != option.type) {
      continue;
    }
    const auto found = std::ranges::find(settings, option.name, &OptionSetting::name);
    const std::string said = found == settings.end() ? "" : found->value;
    const std::string value = value_in(one, option);
    EXPECT_TRUE(said == value || is_choice(option, value, said))
        << option.name << " is '" << said << "' where it was set to '" << value << "'";
  }
}

class OptionWords : public ::testing::TestWithParam<const ModelEntry*> {};

TEST_P(OptionWords, SurviveAFile) {
  for (const WordCase& one : word_cases(*GetParam())) {
    SCOPED_TRACE(one.label());
    const StoredModel* const stored = fitted(one);
    if (stored == nullptr) {
      continue;
    }
    const std::string bytes = model_to_bytes(*stored);
    const StoredModel loaded = model_from_bytes(bytes, "memory");
    expect_same_answers(*stored->model, *loaded.model);
    expect_settings(one, *loaded.model);
    EXPECT_TRUE(model_to_bytes(loaded) == bytes);
  }
}

// A word that no fit takes would be tested by none of the cases.
TEST(OptionWordsOfTheRegistry, AreAllFitted) {
  Index words = 0;
  for (const ModelEntry* const entry : model_registry()) {
    std::vector<WordCase> cases = word_cases(*entry);
    std::erase_if(cases, [](const WordCase& one) { return fitted(one) == nullptr; });
    for (const OptionDescription& option : entry->options) {
      for (const std::string& word : testing::words_of(option)) {
        ++words;
        EXPECT_TRUE(std::ranges::any_of(cases, [&](const WordCase& one) { return value_in(one, option) == word; }))
            << entry->name << " " << option.name << "=" << word << ": give it company in models/word_cases.h";
      }
    }
  }
  EXPECT_GT(words, 200) << "the tables of options are not read";
}

// A row of the list that no case asks for says nothing.
TEST(OptionWordsOfTheRegistry, RefusalsAreOfCases) {
  std::set<const testing::Refusal*> asked;
  for (const ModelEntry* const entry : model_registry()) {
    for (const WordCase& one : word_cases(*entry)) {
      asked.insert(refusal_of(one));
    }
  }
  for (const testing::Refusal& refusal : testing::refusals) {
    EXPECT_TRUE(asked.contains(&refusal)) << refusal.model << " " << refusal.setting;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, OptionWords, ::testing::ValuesIn(model_registry().begin(), model_registry().end()),
                         [](const auto& info) { return info.param->name; });

}  // namespace
}  // namespace mercer
