// EXPECT_ERROR(statement, Type, "words"): the statement throws Type, and its message contains the words.
//
// A bare EXPECT_THROW passes for any error of the type, one in the test's own input included; the words say which error
// is meant.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>

namespace mercer::testing {

/// What is wrong with what the action threw; empty: it threw an Error whose message contains the words.
template <class Error, class Action>
std::string wrong_error(const Action& action, const std::string& words) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.find(words) != std::string::npos ? "" : "the message is '" + message + "'";
  } catch (const std::exception& error) {
    return std::string("another type was thrown: '") + error.what() + "'";
  } catch (...) {
    return "something that is no std::exception was thrown";
  }
  return "nothing was thrown";
}

}  // namespace mercer::testing

#define EXPECT_ERROR(statement, Error, words)                                                \
  EXPECT_EQ(::mercer::testing::wrong_error<Error>([&] { statement; }, words), std::string()) \
      << "expected " #Error " with '" << (words) << "' from: " #statement
