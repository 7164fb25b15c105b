#include "testbench/trial/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/collectives/execute.hpp"
#include "runtime/loader/fit.hpp"
#include "runtime/loader/tensor_io.hpp"

namespace trnsim::trial {
namespace {

using functional::Bytes;

constexpr auto Input = static_cast<std::size_t>(collectives::Buffer::Input);
constexpr auto Output = static_cast<std::size_t>(collectives::Buffer::Output);

}  // namespace

functional::CarryOut carry_out_on(const config::Server& server, std::vector<addresses::CoreId> ranks,
                                  std::uint32_t rounding_seed) {
    return [server, ranks = std::move(ranks), rounding_seed](const neff::Collective& collective,
                                                             const std::vector<Bytes>& inputs) {
        const collectives::Plan plan =
            loader::fit(collective.request, server, ranks,
                        {.algorithm = collective.algorithm, .inner = collective.inner});
        const collectives::Schedule schedule = collectives::make_schedule(collective.request, plan);
        std::vector<collectives::Memory> memories = collectives::make_memories(schedule, 0);
        for (std::size_t rank = 0; rank < inputs.size(); ++rank) {
            Bytes& memory = memories[rank][collective.request.in_place ? Output : Input];
            std::copy_n(inputs[rank].begin(), std::min(inputs[rank].size(), memory.size()), memory.begin());
        }
        collectives::execute(schedule, memories, {.rounding_seed = rounding_seed});
        std::vector<std::optional<Bytes>> outputs(inputs.size());
        for (const collectives::Range& written : schedule.outputs)
            outputs[written.place.rank] = memories[written.place.rank][Output];
        return outputs;
    };
}

std::vector<Contents> interpret_ranks(std::span<const Trial> trials, const functional::CarryOut& carry_out,
                                      const functional::Options& options) {
    std::vector<const neff::Package*> packages;
    for (const Trial& trial : trials) packages.push_back(&trial.package);
    functional::Ranks ranks(packages, carry_out, options);
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        for (const auto& [name, bytes] : trials[rank].inputs) ranks.set(rank, name, bytes);
    }
    ranks.run();
    std::vector<Contents> outputs(trials.size());
    for (std::size_t rank = 0; rank < trials.size(); ++rank) {
        for (const neff::Tensor& tensor : trials[rank].package.tensors) {
            if (neff::is_output(tensor.kind))
                outputs[rank].emplace(tensor.name, ranks.get(rank, tensor.name));
        }
    }
    return outputs;
}

std::vector<std::string> differences(const runtime::Session& session, runtime::ModelId model,
                                     std::span<const runtime::Contents> contents,
                                     const runtime::Results& results, const functional::Limits& limits) {
    constexpr std::uint64_t LatestOrder = 1;
    std::vector<Trial> trials;
    std::vector<addresses::CoreId> cores;
    for (std::uint32_t rank = 0; rank < session.ranks(); ++rank) {
        Trial& trial = trials.emplace_back(Trial{session.server().chip, session.package(model, rank), {}});
        const std::vector<neff::Tensor>& tensors = trial.package.tensors;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            if (neff::is_input(tensors[i].kind))
                trial.inputs.emplace(tensors[i].name, contents[rank][i].bytes());
        }
        cores.push_back(session.core(rank));
    }
    const runtime::Rounding& rounding = results.rounding;
    std::vector<std::string> lines;
    try {
        functional::Options options = functional::in_order(LatestOrder, {rounding.stochastic, rounding.seed});
        options.limits = limits;
        const auto expected =
            interpret_ranks(trials, carry_out_on(session.server(), cores, rounding.seed), options);
        for (std::uint32_t rank = 0; rank < trials.size(); ++rank) {
            if (!results.ranks[rank].here) continue;
            for (const Difference& difference :
                 differences(session.package(model, rank), expected[rank], results.ranks[rank].outputs))
                lines.push_back(
                    fmt::format("rank {}: {}", rank, describe(session.package(model, rank), difference)));
        }
    } catch (const functional::Error& error) {
        lines.emplace_back(error.what());
    }
    return lines;
}

}  // namespace trnsim::trial
