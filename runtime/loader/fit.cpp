#include "runtime/loader/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/collectives/choice.hpp"
#include "compiler/collectives/topology.hpp"
#include "isa/element_type.hpp"
#include "runtime/loader/error.hpp"

namespace trnsim::loader {
namespace {

using addresses::CoreId;
using collectives::Algorithm;
using collectives::Operation;
using collectives::Plan;
using collectives::Request;

std::size_t members_of(const Request& request) {
    return request.groups.empty() ? request.ranks : request.groups[0].size();
}

// Returns the bytes of the larger of a rank's input and output.
std::uint64_t size_of(const Request& request) {
    const std::uint64_t size = isa::element_size(request.dtype);
    if (request.operation == Operation::AllGatherV)
        return std::accumulate(request.counts.begin(), request.counts.end(), std::uint64_t{0}) * size;
    if (request.operation == Operation::AllToAllV || request.operation == Operation::Barrier)
        return request.count * size;
    const collectives::Sizes sizes = collectives::sizes_of(request, members_of(request));
    return std::max(sizes.input, sizes.output) * size;
}

bool uses_cycles(Algorithm algorithm) {
    return algorithm == Algorithm::Ring || algorithm == Algorithm::Kangaring;
}

// From this size on, each ring is two: while a chunk of one is on its way, the other one transfers.
constexpr std::uint64_t TwiceFrom = std::uint64_t{32} << 20;  // bytes

std::vector<std::vector<std::uint32_t>> twice(const std::vector<std::vector<std::uint32_t>>& cycles) {
    std::vector<std::vector<std::uint32_t>> both;
    for (const auto& cycle : cycles) both.insert(both.end(), 2, cycle);
    return both;
}

}  // namespace

std::vector<CoreId> first_cores(const config::Server& server, std::uint32_t count) {
    std::vector<CoreId> cores;
    for (unsigned chip = 0; chip < server.chips(); ++chip) {
        for (unsigned core = 0; core < server.slots[chip].size() && cores.size() < count; ++core)
            cores.push_back({chip, core});
    }
    if (cores.size() < count)
        throw Error(
            fmt::format("{}: {} ranks, expected at most {}, its cores", server.name, count, cores.size()));
    return cores;
}

Plan fit(const Request& request, const config::Server& server, const std::vector<CoreId>& ranks,
         const AlgorithmChoice& choice) {
    Plan plan;
    const std::uint64_t bytes = std::min(size_of(request), std::numeric_limits<std::uint64_t>::max() - 1);
    plan.algorithm = choice.algorithm.value_or(collectives::choose_algorithm(
        collectives::published_choices(), request.operation, bytes, members_of(request), false));
    const auto slots = static_cast<std::uint32_t>(server.slots[0].size());
    plan.inner = choice.inner != 0 ? choice.inner : slots;
    const auto count = static_cast<std::uint32_t>(ranks.size());
    const bool grid = server.topology.kind == config::LinkShape::Kind::Torus;
    const bool whole = request.groups.empty() && ranks == first_cores(server, count);
    if (!grid || !whole) return plan;
    const collectives::Topology topology({1, static_cast<std::uint32_t>(server.topology.rows),
                                          static_cast<std::uint32_t>(server.topology.columns), slots});
    if (uses_cycles(plan.algorithm)) plan.cycles = topology.cycles(count);
    if (plan.algorithm == Algorithm::Ring && bytes >= TwiceFrom) plan.cycles = twice(plan.cycles);
    if (plan.algorithm == Algorithm::HalvingDoubling && request.operation == Operation::AllReduce)
        plan.cycles = topology.hypercubes(count);
    return plan;
}

}  // namespace trnsim::loader
