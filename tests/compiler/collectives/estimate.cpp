#include "compiler/collectives/estimate.hpp"

#include <algorithm>

#include "isa/element_type.hpp"

namespace trnsim::collectives::test {
namespace {

Traffic no_traffic(const Topology& topology) {
    const std::size_t ranks = topology.cluster().ranks();
    return {std::vector<std::uint64_t>(topology.links().size()), std::vector<std::uint64_t>(ranks),
            std::vector<std::uint64_t>(ranks), std::vector<std::uint64_t>(ranks)};
}

void add_traffic(Traffic& traffic, const Step& step, const Topology& topology) {
    const auto move = [&](Rank from, Rank to, std::uint64_t bytes) {
        for (const std::size_t link : topology.path(from, to)) traffic.links[link] += bytes;
    };
    for (const ElementRun& source : step.transfer.sources) {
        const std::uint64_t bytes = step.transfer.elements * isa::element_size(source.dtype);
        move(source.place.rank, step.rank, bytes);
        traffic.reads[step.rank] += bytes;
        traffic.memory[source.place.rank] += bytes;
    }
    for (const ElementRun& destination : step.transfer.destinations) {
        const std::uint64_t bytes = step.transfer.elements * isa::element_size(destination.dtype);
        move(step.rank, destination.place.rank, bytes);
        traffic.writes[step.rank] += bytes;
        traffic.memory[destination.place.rank] += bytes;
    }
}

// Returns the latency of a path whose links between chips are crossed several times.
double path_latency(const Topology& topology, const Timing& timing, Rank from, Rank to, unsigned times) {
    double seconds = 0;
    for (const std::size_t link : topology.path(from, to)) {
        const LinkKind kind = topology.links()[link].kind;
        if (kind == LinkKind::Chip) seconds += times * timing.hop;
        if (kind == LinkKind::Network) seconds += timing.network / 2;  // once out, once in
    }
    return seconds;
}

double latency(const Step& step, const Topology& topology, const Timing& timing) {
    double reads = 0, writes = 0;
    for (const ElementRun& source : step.transfer.sources)
        reads = std::max(reads, 2 * path_latency(topology, timing, source.place.rank, step.rank, 1));
    for (const ElementRun& destination : step.transfer.destinations)
        writes = std::max(writes, path_latency(topology, timing, step.rank, destination.place.rank, 3));
    return timing.step + reads + writes;
}

double transfer_time(const Traffic& traffic, const Topology& topology, const Timing& timing) {
    double longest = 0;
    const auto use = [&](std::uint64_t bytes, double bandwidth) {
        if (bytes != 0) longest = std::max(longest, static_cast<double>(bytes) / bandwidth);
    };
    for (std::size_t link = 0; link < traffic.links.size(); ++link)
        use(traffic.links[link], timing.bandwidth[static_cast<std::size_t>(topology.links()[link].kind)]);
    for (std::size_t rank = 0; rank < traffic.memory.size(); ++rank) {
        use(std::max(traffic.reads[rank], traffic.writes[rank]), timing.engines);
        use(traffic.memory[rank], timing.memory);
    }
    return longest;
}

std::vector<std::vector<StepId>> stages_of(const Schedule& schedule) {
    std::vector<std::size_t> stage(schedule.steps.size());
    std::vector<std::vector<StepId>> stages;
    for (std::size_t id = 0; id < stage.size(); ++id) {
        for (const StepId other : schedule.steps[id].waits) stage[id] = std::max(stage[id], stage[other] + 1);
        if (stage[id] == stages.size()) stages.emplace_back();
        stages[stage[id]].push_back(static_cast<StepId>(id));
    }
    return stages;
}

}  // namespace

Traffic traffic(const Schedule& schedule, const Topology& topology) {
    Traffic all = no_traffic(topology);
    for (const Step& step : schedule.steps) add_traffic(all, step, topology);
    return all;
}

double estimate_seconds(const Schedule& schedule, const Topology& topology, const Timing& timing) {
    double seconds = timing.floor;
    for (const std::vector<StepId>& stage : stages_of(schedule)) {
        Traffic moved = no_traffic(topology);
        double longest = 0;
        for (const StepId id : stage) {
            add_traffic(moved, schedule.steps[id], topology);
            longest = std::max(longest, latency(schedule.steps[id], topology, timing));
        }
        seconds += longest + transfer_time(moved, topology, timing);
    }
    return seconds;
}

}  // namespace trnsim::collectives::test
