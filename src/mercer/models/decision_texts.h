// Costs and priors as people write them:
//
//   costs    "a:b=5,b:a=1"     a row of the class a that is called b costs 5; what is not named costs 1, a right answer 0
//            a table           a head of the decisions, and per line the true class and its costs
//   priors   "a=.01,b=.99", "equal", or "training"
//
// Labels are looked up among the classes: +1 and 1.0 name the class 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/models/decision_rule.h"

namespace mercer {

/// classes × classes by rows. InvalidArgument for what cannot be read, for labels that are no classes and for an entry that is
/// given twice.
std::vector<double> parse_costs(std::string_view text, const std::vector<std::string>& classes);
/// Of the records of a table; every class has a line and a column, in any order.
std::vector<double> costs_of_table(const std::vector<std::vector<std::string>>& records,
                                   const std::vector<std::string>& classes);
/// One per class; empty for "training". InvalidArgument as above, and where a class is missing.
std::vector<double> parse_priors(std::string_view text, const std::vector<std::string>& classes);
/// The number of the class. `option` is named in messages.
Index class_named(std::string_view option, std::string_view label, const std::vector<std::string>& classes);

}  // namespace mercer
