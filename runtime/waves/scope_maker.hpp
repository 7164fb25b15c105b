// Makes a scope signal by signal.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "base/time/time.hpp"
#include "runtime/waves/levels.hpp"
#include "runtime/waves/signals.hpp"

namespace trnsim::waves {

class ScopeMaker {
  public:
    explicit ScopeMaker(std::string name) : scope_{std::move(name), {}, {}} {}

    // Adds a signal. Signals of one scope within it must be consecutive. Returns its number.
    std::size_t add(const std::string& scope, const std::string& name, unsigned bits) {
        scope_.signals.push_back({scope, name, bits});
        return scope_.signals.size() - 1;
    }
    void set(std::size_t signal, std::uint64_t fs, std::uint64_t value) {
        scope_.changes.push_back({fs / FsPerPs, signal, value, {}});
    }
    void set(std::size_t signal, std::uint64_t fs, std::string text) {
        scope_.changes.push_back({fs / FsPerPs, signal, 0, std::move(text)});
    }
    void set(std::size_t signal, const Levels& levels) { levels.collect(signal, scope_.changes); }

    // Sorts the changes and leaves out those that change nothing.
    Scope finish() {
        std::ranges::stable_sort(scope_.changes, {}, &Change::time);
        std::vector<Change>& changes = scope_.changes;
        std::vector<std::size_t> last(scope_.signals.size(), changes.size());  // last kept change
        std::size_t kept = 0;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            std::size_t& before = last[changes[i].signal];
            if (before < kept && changes[before].value == changes[i].value &&
                changes[before].text == changes[i].text)
                continue;
            before = kept;
            if (i != kept) changes[kept] = std::move(changes[i]);
            ++kept;
        }
        changes.resize(kept);
        return std::move(scope_);
    }

  private:
    Scope scope_;
};

}  // namespace trnsim::waves
