#include "runtime/cluster/phases.hpp"

#include <fmt/format.h>

#include <utility>

#include "compiler/collectives/execute.hpp"
#include "compiler/collectives/generate.hpp"
#include "runtime/cluster/error.hpp"

namespace trnsim::cluster {
namespace {

using collectives::Buffer;
using collectives::Operation;
using collectives::Request;

constexpr std::size_t In = static_cast<std::size_t>(Buffer::Input),
                      Out = static_cast<std::size_t>(Buffer::Output);

}  // namespace

Phases phases_of(Operation operation, isa::Dtype dtype, std::uint64_t count, const Shape& shape) {
    const auto request = [&](Operation part, std::uint64_t elements, std::uint32_t ranks) {
        return Request{.operation = part, .dtype = dtype, .count = elements, .ranks = ranks};
    };
    const auto scatter = [&](std::uint64_t elements) {
        return request(Operation::ReduceScatter, elements, shape.ranks);
    };
    const auto gather = [&](std::uint64_t elements) {
        return request(Operation::AllGather, elements, shape.ranks);
    };
    const bool within = shape.ranks > 1;
    switch (operation) {
        case Operation::AllReduce: {
            if (count % shape.ranks != 0)
                throw Error(
                    fmt::format("all-reduce: {} elements, expected a multiple of the {} ranks of a server",
                                count, shape.ranks));
            const std::uint64_t part = count / shape.ranks;
            Phases phases{{}, {}, request(operation, part, shape.servers)};
            if (within) phases.before = scatter(part), phases.after = gather(part);
            return phases;
        }
        case Operation::ReduceScatter: {
            Phases phases{{}, {}, request(operation, count, shape.servers)};
            if (within) phases.before = scatter(count * shape.servers);
            return phases;
        }
        case Operation::AllGather: {
            Phases phases{{}, {}, request(operation, count, shape.servers)};
            if (within) phases.after = gather(count * shape.servers);
            return phases;
        }
        default:
            throw Error(fmt::format("{} of {} servers, expected all-reduce, all-gather or reduce-scatter",
                                    name(operation), shape.servers));
    }
}

std::vector<std::vector<std::uint8_t>> values_between(const Request& between,
                                                      collectives::Algorithm algorithm,
                                                      const std::vector<std::vector<std::uint8_t>>& vectors) {
    const collectives::Schedule schedule = collectives::make_schedule(between, {.algorithm = algorithm});
    std::vector<collectives::Memory> memories = collectives::make_memories(schedule, 0);
    for (std::size_t server = 0; server < memories.size(); ++server)
        memories[server][In] = vectors.at(server);
    collectives::execute(schedule, memories, {});
    std::vector<std::vector<std::uint8_t>> results;
    results.reserve(memories.size());
    for (collectives::Memory& memory : memories) results.push_back(std::move(memory[Out]));
    return results;
}

}  // namespace trnsim::cluster
