// Signals that go up and down with each event.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/time/time.hpp"
#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class Levels {
  public:
    explicit Levels(std::size_t signals) : events_(signals) {}

    void add(std::size_t signal, std::uint64_t fs, std::int64_t by) { events_[signal][fs / FsPerPs] += by; }

    // Appends the changes of a signal, from 0.
    void collect(std::size_t signal, std::vector<Change>& changes) const {
        std::int64_t level = 0;
        changes.push_back({0, signal, 0});
        for (const auto& [time, by] : events_[signal]) {
            if (by != 0) changes.push_back({time, signal, static_cast<std::uint64_t>(level += by)});
        }
    }

  private:
    std::vector<std::map<std::uint64_t, std::int64_t>> events_;  // key: time, ps
};

}  // namespace trnsim::waves
