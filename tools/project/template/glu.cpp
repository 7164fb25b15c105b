// y = sigmoid(gate.T @ x) * (up.T @ x): a gated linear unit.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "lib/builder/kernel_builder.hpp"
#include "lib/builder/target.hpp"
#include "lib/config/config.hpp"
#include "lib/neff/neff.hpp"

using namespace trnsim;

namespace {

// K inputs and M outputs, which lie on the partitions, of N samples.
constexpr std::uint32_t K = 16, M = 16, N = 1024;
constexpr std::uint32_t Chunk = 512;  // columns of a PSUM bank

neff::Package build(const builder::Target& target) {
    builder::KernelBuilder k("glu", "", target);

    // Tensors in HBM.
    const auto x = k.tensor("x", neff::TensorKind::Input, isa::Dtype::Bf16, {K, N});
    const auto gate = k.tensor("gate", neff::TensorKind::Input, isa::Dtype::Bf16, {K, M});
    const auto up = k.tensor("up", neff::TensorKind::Input, isa::Dtype::Bf16, {K, M});
    const auto y = k.tensor("y", neff::TensorKind::Output, isa::Dtype::Fp32, {M, N});

    // Queues of DMA transfers: Sync starts the loads, Scalar the stores.
    const auto loads = k.queue("qSyncLoad", isa::Engine::Sync);
    const auto stores = k.queue("qScalarStore", isa::Engine::Scalar);

    // Weights in SBUF.
    const builder::Tile gate_weights = k.sbuf(K, isa::Dtype::Bf16, {M});
    const builder::Tile up_weights = k.sbuf(K, isa::Dtype::Bf16, {M});
    const builder::Event gate_there = k.load(loads, gate_weights, gate);
    const builder::Event up_there = k.load(loads, up_weights, up);

    for (std::uint32_t first = 0, bank = 0; first < N; first += Chunk, bank += 2) {
        const std::uint32_t columns = std::min(Chunk, N - first);
        // Every chunk has tiles of its own, so that no call has to wait until a tile is free again.
        const builder::Tile moving = k.sbuf(K, isa::Dtype::Bf16, {columns});
        const builder::Tile gate_sum = k.psum(bank, M, columns);
        const builder::Tile up_sum = k.psum(bank + 1, M, columns);
        const builder::Tile gates = k.sbuf(M, isa::Dtype::Fp32, {columns});
        const builder::Tile result = k.sbuf(M, isa::Dtype::Fp32, {columns});

        // Engines and queues work side by side. The events in braces are what a call waits for; nothing else
        // orders two engines.
        const builder::Event x_there = k.load(loads, moving, x.slice(1, first, columns));
        k.load_stationary(gate_weights, {gate_there});
        const builder::Event gate_done = k.multiply_moving(gate_sum, moving, false, {x_there});
        k.load_stationary(up_weights, {up_there});
        const builder::Event up_done = k.multiply_moving(up_sum, moving, false, {x_there});
        const builder::Event gates_there =
            k.activation(gates, gate_sum, isa::Activation::Sigmoid, {}, {gate_done});
        const builder::Event done =
            k.tensor_tensor(result, gates, isa::AluOp::Multiply, up_sum, {gates_there, up_done});
        k.store(stores, y.slice(1, first, columns), result, {done});
    }
    return k.finish();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: make_glu CONFIG FILE.neff\n");
        return 2;
    }
    try {
        neff::write(argv[2], build(builder::target_of(config::load(argv[1]))));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_glu: %s\n", error.what());
        return 2;
    }
    return 0;
}
