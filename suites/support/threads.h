#pragma once

#include <exception>
#include <stop_token>
#include <thread>
#include <vector>

namespace kfdcts::suites {

/// Runs `body(0)` … `body(count - 1)` in a thread each and waits for all. What one throws first is
/// thrown here.
template <typename Body>
void InThreads(int count, Body body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  {
    std::vector<std::jthread> threads;
    for (int id = 0; id < count; ++id) {
      threads.emplace_back([&body, &error = errors[static_cast<std::size_t>(id)], id] {
        try {
          body(id);
        } catch (...) {
          error = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Runs `reader` over and over in `count` threads while `writer` runs in this one. Readers must not
/// throw.
template <typename Reader, typename Writer>
void Against(int count, Reader reader, Writer writer) {
  std::vector<std::jthread> threads;  // each is stopped and joined in the end, also by an exception
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&reader](const std::stop_token& stop) {
      while (!stop.stop_requested()) reader();
    });
  }
  writer();
}

}  // namespace kfdcts::suites
