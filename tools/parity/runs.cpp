#include "tools/parity/runs.hpp"

#include <fmt/format.h>

#include "base/jobs/isolated.hpp"
#include "model/core/fast/fast_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "runtime/session/fidelity.hpp"
#include "testbench/parity/agreement.hpp"

namespace trnsim::parity {
namespace {

Observation run_on(const Subject& subject, runtime::Fidelity fidelity) {
    return from_text(jobs::run_isolated([&] {
        const tlm::CoreFactory core = fidelity == runtime::Fidelity::Fast
                                          ? tlm::core_fast::make_core(subject.config)
                                          : tlm::core_rtl::load_core(subject.config, 1);
        return to_text(observe(subject.package, subject.config, subject.inputs, subject.rounding, core));
    }));
}

}  // namespace

Agreement run_on_all(const Subject& subject) {
    const Observation rtl = run_on(subject, runtime::Fidelity::Rtl);
    return {compare(rtl, run_on(subject, runtime::Fidelity::Fast)), unlike_interpreter(subject, rtl)};
}

Ways ways_of(const Agreement& agreement) {
    const Comparison& cores = agreement.cores;
    return {!cores.runs.empty() || !cores.bytes.empty(),
            cores.timing.mean > MostMean || cores.timing.worst > MostWorst,
            agreement.unlike_interpreter != 0};
}

bool agrees(const Agreement& agreement) {
    const Ways ways = ways_of(agreement);
    return !ways.bits && !ways.times && !ways.interpreter;
}

std::vector<std::string> differences(const Agreement& agreement) {
    const Comparison& found = agreement.cores;
    std::vector<std::string> lines;
    if (agreement.unlike_interpreter != 0)
        lines.push_back(fmt::format("{} bytes of the RTL's outputs are not the interpreter's",
                                    agreement.unlike_interpreter));
    if (!found.timing.first.empty()) lines.push_back(found.timing.first);
    for (const auto* part : {&found.runs, &found.bytes, &found.counted})
        lines.insert(lines.end(), part->begin(), part->end());
    return lines;
}

}  // namespace trnsim::parity
