#include "model/system/course.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::tlm {

std::optional<RunResult> Course::result(const Standing& standing, const std::function<std::string()>& state) {
    const auto ended = [&](Outcome outcome, const std::string& message) {
        return RunResult{outcome, message, start_, now()};
    };
    if (standing.failure) return ended(standing.failure->outcome, standing.failure->message);
    if (standing.cores_done() && standing.dma_idle) return ended(Outcome::Done, "");
    if (std::exchange(progress_.seen, standing.progress) != standing.progress) progress_.moved = now();
    if (now() >= progress_.moved + timeout_)
        return ended(Outcome::Hang, "no progress for runtime.timeout: " + state());
    if (limit_ != 0 && now() >= start_ + limit_) return ended(Outcome::TimeLimit, state());
    if (!standing.pending) return ended(Outcome::Hang, "nothing can happen any more: " + state());
    return std::nullopt;
}

Time Course::step(Time slice) const {
    return limit_ == 0 ? slice : std::min(slice, start_ + limit_ - now());
}

}  // namespace trnsim::tlm
