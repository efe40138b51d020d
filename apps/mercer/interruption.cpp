#include "interruption.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>

#include "mercer/base/error.h"

namespace mercer::program {

namespace {

constexpr int wake_up = SIGUSR2;  // ends the watcher when the program ends by itself
constexpr auto patience = std::chrono::milliseconds(150);

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, wake_up);
  // nohup ignores this one, and sigwait would take it nevertheless.
  struct sigaction hangup{};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) {
    sigaddset(&signals, SIGHUP);
  }
  return signals;
}

}  // namespace

Interruption::Interruption() {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A closed pipe is an error of a write, which is reported in its place, not a reason to die while a file is open.
  std::signal(SIGPIPE, SIG_IGN);
  watcher_ = std::thread([this] { watch(); });
}

Interruption::~Interruption() {
  pthread_kill(watcher_.native_handle(), wake_up);
  watcher_.join();
}

int Interruption::exit_code() const {
  const int signal = signal_.load();
  return signal == 0 ? 0 : 128 + signal;
}

void Interruption::end_now(const char* message) const {
  // The main thread may hold any lock: no streams here.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, std::strlen(message));
  _exit(exit_code());
}

void Interruption::watch() {
  const sigset_t signals = watched_signals();
  int signal = 0;
  if (sigwait(&signals, &signal) != 0 || signal == wake_up) {
    return;
  }
  signal_.store(signal);
  source_.request_stop();
  const auto limit = std::chrono::steady_clock::now() + patience;
  while (true) {
    const timespec pause{0, 10'000'000};
    const int next = sigtimedwait(&signals, nullptr, &pause);
    if (next == wake_up) {
      return;
    }
    if (next > 0) {
      end_now("\nmercer: ended\n");
    }
    if (std::chrono::steady_clock::now() > limit && writing_.try_lock()) {
      end_now(isatty(STDERR_FILENO) != 0 ? "\r\033[Kmercer: interrupted\n" : "mercer: interrupted\n");
    }
  }
}

WriteGuard::WriteGuard(Interruption& interruption) : lock_(interruption.writing_) {
  if (interruption.source_.stop_requested()) {
    throw Stopped();
  }
}

}  // namespace mercer::program
