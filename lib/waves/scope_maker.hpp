// Makes a scope signal by signal.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "lib/base/time/time.hpp"
#include "lib/waves/levels.hpp"
#include "lib/waves/signals.hpp"

namespace trnsim::waves {

class ScopeMaker {
  public:
    explicit ScopeMaker(std::string name) : scope_{std::move(name), {}, {}} {}

    // Signals of one scope within it follow each other. Returns its number.
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

    // Of what is set at one time the last counts, and what changes nothing is left out.
    Scope finish() {
        std::ranges::stable_sort(scope_.changes, {}, &Change::time);
        std::vector<const Change*> last(scope_.signals.size(), nullptr);
        std::vector<Change> changes;
        for (const Change& change : scope_.changes) {
            const Change* before = std::exchange(last[change.signal], &change);
            if (before == nullptr || before->value != change.value || before->text != change.text)
                changes.push_back(change);
        }
        scope_.changes = std::move(changes);
        return std::move(scope_);
    }

  private:
    Scope scope_;
};

}  // namespace trnsim::waves
