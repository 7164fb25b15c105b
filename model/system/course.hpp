// How a run goes on: from how its chips stand to whether it has ended, and with what.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/protocol/types.hpp"
#include "model/system/outcome.hpp"

namespace trnsim::tlm {

// Of the chips of a server, or of some of them.
struct Standing {
    struct Failure {
        Outcome outcome = Outcome::CoreError;
        std::string message{};
    };

    bool goes_on = true;     // nobody has ended the run from outside
    bool cores_rest = true;  // each has halted or was never started
    bool has_run = false;    // one has halted, or there is none
    bool dma_idle = true;    // not looked at before the cores rest
    bool pending = false;    // something can still happen
    bool quiescent = true;   // not looked at but where a checkpoint is to be
    std::uint64_t progress = 0;
    std::optional<Failure> failure{};  // of the chip with the lowest number

    bool cores_done() const { return cores_rest && has_run; }

    // Together with chips of higher numbers.
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

// When there last was progress, over all runs: a run that is shorter than the timeout does not begin it anew.
struct Progress {
    std::uint64_t seen = 0;
    Time moved = 0;
};

class Course {
  public:
    // Begins now. `timeout`: without progress; `limit`: simulated time, 0 for none. `progress` must outlive it.
    Course(Time timeout, Time limit, Progress& progress)
        : timeout_(timeout), limit_(limit), start_(now()), progress_(progress) {}

    // Nothing: the run goes on. `state`: what the chips do, for messages.
    std::optional<RunResult> result(const Standing& standing, const std::function<std::string()>& state);

    // Of a run that is ended from outside.
    RunResult stopped() const { return {Outcome::TimeLimit, "", start_, now()}; }

    // At most `slice`, and not beyond the limit.
    Time step(Time slice) const;

  private:
    Time timeout_, limit_, start_;
    Progress& progress_;
};

}  // namespace trnsim::tlm
