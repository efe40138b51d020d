// The part of mercer gram that says whether a matrix is positive definite, with a witness where it is not.
#pragma once

#include <span>
#include <string>

#include "mercer/gram/definiteness_check.h"
#include "output.h"

namespace mercer::program {

Json check_as_json(const DefinitenessReport& report, std::span<const Index> row_numbers);

/// Verdict, eigenvalues, and the largest entries of the witness with the rows of the file that they belong to.
std::string check_as_text(const DefinitenessReport& report, std::span<const Index> row_numbers);

}  // namespace mercer::program
