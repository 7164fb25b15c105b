#include "tools/bench/parity_benchmarks.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tools/parity/runs.hpp"

namespace trnsim::bench {

Figure measure_parity_timing(const Environment&) {
    constexpr std::uint64_t Seed = 1, Programs = 40, BatchSize = 10;
    const config::Config config = config::load("small16");
    std::vector<parity::Subject> subjects;
    for (const char* text : parity::small_kernels())
        subjects.push_back(parity::kernel_of_text(config, text, Seed));
    for (std::uint64_t first = 0; first < Programs; first += BatchSize)
        subjects.push_back(parity::programs(config, Seed, first, first + BatchSize - 1));
    Figure figure{.value = 0, .reference = 100 * parity::MostWorst, .parts = {}};
    for (const parity::Subject& subject : subjects) {
        const parity::Agreement found = parity::run_on_all(subject);
        if (!found.cores.runs.empty())
            throw std::runtime_error(subject.name + ": " + found.cores.runs.front());
        figure.value = std::max(figure.value, 100 * found.cores.timing.worst);
        figure.parts.push_back({subject.name + ", mean error", 100 * found.cores.timing.mean, "%"});
        figure.parts.push_back({subject.name + ", worst error", 100 * found.cores.timing.worst, "%"});
        figure.parts.push_back(
            {subject.name + ", wall time of the RTL over the fast core's", found.cores.speed_up, "x"});
    }
    return figure;
}

}  // namespace trnsim::bench
