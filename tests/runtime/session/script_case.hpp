// Random kernels of several ranks with transfers, computation and collectives in loops and around them.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "arch/target/target.hpp"
#include "common/rank_reference.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/session.hpp"
#include "testbench/trial/trial.hpp"

namespace trnsim::test {

// A script on the chip of a server, with its results by the host's arithmetic.
struct ScriptCase {
    RankScript script;
    std::vector<trial::Trial> trials;
    std::vector<ScriptValues> expected;  // by rank

    ScriptCase(const config::Server& server, std::uint64_t seed, std::uint32_t ranks, bool delays = true) {
        RandomScript random(seed, ranks);
        script = random.script();
        std::vector<ScriptValues> values;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            ScriptKernel kernel(script, target::of(server.chip), delays ? seed * ranks + rank + 1 : 0);
            // Ranks need not have the same loops.
            const bool unrolled = seed % 3 == 0 && rank % 2 == 1;
            trials.push_back({server.chip, kernel.build(unrolled ? Written::Unrolled : Written::AsLoop), {}});
            values.push_back(random.values());
            for (std::uint32_t i = 0; i < ScriptTensors; ++i)
                trials.back().inputs.emplace(fmt::format("t{}", i),
                                             script_bytes(values.back()[i], script.dtype));
        }
        expected = ScriptReference(script, std::move(values)).run();
    }

    // Compares the ranks of this process with the host's results and returns the differences.
    std::string compare_with_host(const runtime::Results& result) const {
        if (!result.done()) return result.message + "\n";
        for (std::size_t rank = 0; rank < trials.size(); ++rank) {
            if (!result.ranks[rank].here) continue;
            for (std::size_t i = 0; i < ScriptTensors; ++i) {
                const std::string name = fmt::format("t{}", i);
                const auto bytes =
                    loader::to_device(trials[rank].package.tensors[i], result.ranks[rank].outputs.at(name));
                if (script_values(bytes, script.dtype) != expected[rank][i])
                    return fmt::format("rank {}: {} is not what the host computes\n", rank, name);
            }
        }
        return "";
    }
};

}  // namespace trnsim::test
