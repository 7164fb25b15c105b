#include "tools/cli/parity_runs.hpp"

#include "lib/runtime/fidelity.hpp"
#include "testbench/parity/agreement.hpp"
#include "tlm/core/fast/fast_core.hpp"
#include "tlm/core/rtl/rtl_core.hpp"
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

bool agrees(const Agreement& agreement) {
    const parity::Comparison& cores = agreement.cores;
    return cores.runs.empty() && cores.bytes.empty() && agreement.unlike_interpreter == 0 &&
           cores.timing.mean <= MostMean && cores.timing.worst <= MostWorst;
}

}  // namespace trnsim::cli
