// The course of a run: from the state of its chips it decides whether the run has ended, and with what
// outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/protocol/types.hpp"
#include "model/system/outcome.hpp"

namespace trnsim::tlm {

// The state of the chips of a server, or of some of them.
struct Standing {
    struct Failure {
        Outcome outcome = Outcome::CoreError;
        std::string message{};
    };

    bool goes_on = true;     // false: the run was ended from outside
    bool cores_rest = true;  // each core has halted or was never started
    bool has_run = false;    // one core has halted, or there is none
    bool dma_idle = true;    // not looked at before the cores rest
    bool pending = false;    // something can still happen
    bool quiescent = true;   // looked at only when a checkpoint is wanted
    std::uint64_t progress = 0;
    std::optional<Failure> failure{};  // failure of the chip with the lowest number

    bool cores_done() const { return cores_rest && has_run; }

    // Adds the state of chips of higher numbers.
    void add(const Standing& others) {
        goes_on = goes_on && others.goes_on;
        cores_rest = cores_rest && others.cores_rest;
        has_run = has_run || others.has_run;
        dma_idle = dma_idle && others.dma_idle;
        pending = pending || others.pending;
        quiescent = quiescent && others.quiescent;
        progress += others.progress;
        if (!failure) failure = others.failure;
    }
};

// The time of the last progress, over all runs: a run that is shorter than the timeout does not restart it.
struct Progress {
    std::uint64_t seen = 0;
    Time moved = 0;
};

class Course {
  public:
    // Begins now. `timeout`: longest time without progress; `limit`: simulated time, 0 for none. `progress`
    // must outlive this.
    Course(Time timeout, Time limit, Progress& progress)
        : timeout_(timeout), limit_(limit), start_(now()), progress_(progress) {}

    // Returns the result, or nothing if the run goes on. `state` says for messages what the chips do.
    std::optional<RunResult> result(const Standing& standing, const std::function<std::string()>& state);

    // Returns the result of a run that is ended from outside.
    RunResult stopped() const { return {Outcome::TimeLimit, "", start_, now()}; }

    // Returns the next step: at most `slice`, and not beyond the limit.
    Time step(Time slice) const;

  private:
    Time timeout_, limit_, start_;
    Progress& progress_;
};

}  // namespace trnsim::tlm
