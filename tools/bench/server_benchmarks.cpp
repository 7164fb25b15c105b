#include "tools/bench/server_benchmarks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "arch/target/target.hpp"
#include "compiler/kernels/registry.hpp"
#include "model/processes/run.hpp"
#include "model/system/load_server.hpp"
#include "runtime/loader/tensor_io.hpp"
#include "runtime/session/session.hpp"
#include "testbench/trial/inputs.hpp"

namespace trnsim::bench {
namespace {

constexpr std::uint32_t ServerRanks = 32;
constexpr std::uint64_t Weights = 250'000;  // of each rank

struct Step {
    double seconds = 0;
    std::string time;  // simulated time in fs
};

Step step(unsigned processes) {
    config::Server server = tlm::load_server("trn1.32xlarge");
    for (config::SlotKinds& slots : server.slots) slots.assign(slots.size(), config::CoreKind::Fast);
    const auto package = std::make_shared<const neff::Package>(kernels::build_kernel(
        "adamw", {{"n", std::to_string(Weights)}, {"ranks", std::to_string(ServerRanks)}},
        target::of(server.chip)));
    runtime::Arrays inputs;
    for (const neff::Tensor& tensor : package->tensors) {
        if (neff::is_input(tensor.kind))
            inputs.emplace(tensor.name,
                           loader::from_device(tensor, trial::random_input(*package, tensor, 1)));
    }
    const std::string text = tlm::processes::run(processes, [&](tlm::processes::Exchange& exchange) {
        runtime::Session session(server, ServerRanks, {.exchange = &exchange});
        const runtime::ModelId model = session.load(package);
        const std::vector<runtime::Arrays> of_ranks(ServerRanks, inputs);
        const auto begin = std::chrono::steady_clock::now();
        const runtime::Results result = session.execute_ranks(model, of_ranks);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (!result.done()) throw std::runtime_error(result.message);
        return fmt::format("{} {}", seconds, result.time);
    });
    const std::size_t space = text.find(' ');
    return {std::stod(text.substr(0, space)), text.substr(space + 1)};
}

}  // namespace

Figure measure_fast_server(const Environment&) {
    constexpr double Millions = 1e-6 * ServerRanks * Weights;
    const Step one = step(1), two = step(2);
    if (one.time != two.time)
        throw std::runtime_error(
            fmt::format("a step of {} fs in one process, of {} in two", one.time, two.time));
    return {.value = Millions / two.seconds, .reference = Millions / one.seconds};
}

}  // namespace trnsim::bench
