// PhaseTimer: fills FitReport::phases. Phases follow each other; a phase ends where the next begins.
#pragma once

#include <chrono>
#include <string>

#include "mercer/models/model.h"

namespace mercer {

class PhaseTimer {
 public:
  explicit PhaseTimer(FitReport& report) : report_(report) {}

  void start(std::string name) {
    stop();
    report_.phases.push_back({std::move(name), 0.0});
    begin_ = std::chrono::steady_clock::now();
    running_ = true;
  }
  void stop() {
    if (running_) {
      report_.phases.back().seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
      running_ = false;
    }
  }

 private:
  FitReport& report_;
  std::chrono::steady_clock::time_point begin_{};
  bool running_ = false;
};

}  // namespace mercer
