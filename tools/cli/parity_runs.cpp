#include "tools/cli/parity_runs.hpp"

#include <fmt/format.h>

#include "model/core/fast/fast_core.hpp"
#include "model/core/rtl/load_core_model.hpp"
#include "runtime/session/fidelity.hpp"
#include "testbench/parity/agreement.hpp"
#include "tools/cli/isolated.hpp"

namespace trnsim::cli {
namespace {

parity::Observation run_on(const parity::Subject& subject, runtime::Fidelity fidelity) {
    return parity::from_text(run_isolated([&] {
        const tlm::CoreFactory core = fidelity == runtime::Fidelity::Fast
                                          ? tlm::core_fast::make_core(subject.config)
                                          : tlm::core_rtl::load_core(subject.config, 1);
        return parity::to_text(
            parity::observe(subject.package, subject.config, subject.inputs, subject.rounding, core));
    }));
}

}  // namespace

Agreement run_on_all(const parity::Subject& subject) {
    const parity::Observation rtl = run_on(subject, runtime::Fidelity::Rtl);
    return {parity::compare(rtl, run_on(subject, runtime::Fidelity::Fast)),
            parity::unlike_interpreter(subject, rtl)};
}

Ways ways_of(const Agreement& agreement) {
    const parity::Comparison& cores = agreement.cores;
    return {!cores.runs.empty() || !cores.bytes.empty(),
            cores.timing.mean > MostMean || cores.timing.worst > MostWorst,
            agreement.unlike_interpreter != 0};
}

bool agrees(const Agreement& agreement) {
    const Ways ways = ways_of(agreement);
    return !ways.bits && !ways.times && !ways.interpreter;
}

std::vector<std::string> differences(const Agreement& agreement) {
    const parity::Comparison& found = agreement.cores;
    std::vector<std::string> lines;
    if (agreement.unlike_interpreter != 0)
        lines.push_back(fmt::format("{} bytes of the RTL's outputs are not the interpreter's",
                                    agreement.unlike_interpreter));
    if (!found.timing.first.empty()) lines.push_back(found.timing.first);
    for (const auto* part : {&found.runs, &found.bytes, &found.counted})
        lines.insert(lines.end(), part->begin(), part->end());
    return lines;
}

}  // namespace trnsim::cli
