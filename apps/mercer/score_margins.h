// mercer score MODEL DATA --margins: the least geometric margin of the rows, and what makes the function canonical for them.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/stored_model.h"
#include "output.h"

namespace mercer::program {

struct MachineMargins {
  std::string name;
  double norm = 0;
  double least = 0;
  Index row = -1;  ///< of the data, from 0
  double canonical = 0;
  Index rows = 0;      ///< that count
  Index positive = 0;  ///< of them on their side
  double sum = 0;
};

/// Adds the margins of a block whose first row is number `first`; `machines` is empty at first.
void add_margins(const StoredModel& stored, const Samples& samples, const Targets* targets, Index first,
                 std::vector<MachineMargins>& machines, const Run& run);

Json margins_as_json(const std::vector<MachineMargins>& machines);
std::string margins_as_text(const std::vector<MachineMargins>& machines);

}  // namespace mercer::program
