#include "call.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mercer::python {

namespace {

constexpr std::chrono::milliseconds signal_interval{20};

struct Message {
  enum class Kind { progress, log } kind;
  std::string text;  // the task, or the message
  double done = 0;
  double total = 0;
  LogLevel level = LogLevel::info;
};

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
  }
  return "info";
}

// What the working thread leaves for the waiting one.
class Mailbox {
 public:
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    news_.notify_one();
  }

  void close(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    closed_ = true;
    news_.notify_one();
  }

  struct Content {
    std::vector<Message> messages;
    bool closed = false;
  };
  Content wait() {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, signal_interval, [this] { return closed_ || !messages_.empty(); });
    return {std::exchange(messages_, {}), closed_};
  }

  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Message> messages_;
  std::exception_ptr error_;
  bool closed_ = false;
};

RunOptions run_options(const CallOptions& options, Mailbox& mailbox, std::stop_token stop) {
  RunOptions run{.threads = options.threads, .seed = options.seed, .stop = std::move(stop)};
  if (!options.log.is_none()) {
    run.log = [&mailbox](LogLevel level, std::string_view message) {
      mailbox.put({.kind = Message::Kind::log, .text = std::string(message), .level = level});
    };
  }
  if (!options.progress.is_none()) {
    run.progress = [&mailbox](const ProgressEvent& event) {
      mailbox.put({Message::Kind::progress, std::string(event.task), event.done, event.total});
    };
  }
  return run;
}

void deliver(const Message& message, const CallOptions& options) {
  if (message.kind == Message::Kind::log) {
    options.log(name_of(message.level), message.text.c_str());
  } else {
    options.progress(message.text.c_str(), message.done, message.total);
  }
}

// Empty, or the exception that a signal handler or one of the caller's functions raised.
std::exception_ptr attend(const Mailbox::Content& content, const CallOptions& options) {
  const nb::gil_scoped_acquire gil;
  try {
    for (const Message& message : content.messages) {
      deliver(message, options);
    }
    if (PyErr_CheckSignals() != 0) {
      throw nb::python_error();
    }
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_call(const CallOptions& options, const std::function<void(const Run&)>& work) {
  Mailbox mailbox;
  std::stop_source stop;
  std::exception_ptr raised;
  {
    const nb::gil_scoped_release release;
    std::thread worker([&] {
      std::exception_ptr error;
      try {
        work(Run(run_options(options, mailbox, stop.get_token())));
      } catch (...) {
        error = std::current_exception();
      }
      mailbox.close(std::move(error));
    });
    bool closed = false;
    while (!closed) {
      const Mailbox::Content content = mailbox.wait();
      closed = content.closed;
      if (!raised && !(closed && content.messages.empty())) {
        raised = attend(content, options);
        if (raised) {
          stop.request_stop();
        }
      }
    }
    worker.join();
  }
  if (raised) {
    std::rethrow_exception(raised);
  }
  mailbox.rethrow();
}

}  // namespace mercer::python
