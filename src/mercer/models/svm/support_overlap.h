// How many support vectors two models fitted to the same rows share: machines with other kernels find much the same rows to
// be support vectors. Reference: Schölkopf & Smola (2002), 7.8.2, table 7.6; Schölkopf, Burges & Vapnik (1995).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/models/model.h"

namespace mercer {

/// Counts of rows; `share` of the others'.
struct Overlap {
  std::string name;  ///< "all", the name of a machine, or a class
  Index own = 0;     ///< support vectors of the model
  Index other = 0;   ///< of the other
  Index both = 0;
  /// How many of the other's are the model's too; NaN where it has none.
  double share() const;
};

struct SupportOverlap {
  Overlap all;                    ///< of the unions over machines
  std::vector<Overlap> machines;  ///< by name, where both have several machines of the same names
  std::vector<Overlap> classes;   ///< where both have the same classes
};

/// By the numbers of the training rows, which say nothing unless both were fitted to the same rows in the same order.
/// InvalidArgument for models without support vectors, or that do not know which rows theirs are (after a compression).
SupportOverlap support_overlap(const FittedModel& model, const FittedModel& other);

/// The numbers of the training rows that are support vectors, ascending. InvalidArgument as above.
std::vector<Index> support_rows_of(const FittedModel& model);

}  // namespace mercer
