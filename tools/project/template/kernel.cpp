// y = sigmoid(gate.T @ x) * (up.T @ x): a gated linear unit.
#include <cstdio>
#include <exception>

#include <trnsim/arch/config/config.hpp>
#include <trnsim/arch/target/target.hpp>
#include <trnsim/compiler/builder/kernel_builder.hpp>
#include <trnsim/compiler/neff/neff.hpp>

using namespace trnsim;

namespace {

// K inputs and M outputs, which lie on the partitions, of N samples.
constexpr std::uint32_t K = 16, M = 16, N = 1024;
constexpr std::uint32_t Chunk = 512;  // columns of a PSUM bank; N is a multiple

neff::Package build(const target::Chip& target) {
    builder::KernelBuilder k("{{name}}", "", target);

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
    k.load(loads, gate_weights, gate);
    k.load(loads, up_weights, up);

    // Two of every tile, used in turn: one is loaded or stored while the engines work on the other.
    const builder::Tile inputs = k.sbuf(K, isa::Dtype::Bf16, {2, Chunk});
    const builder::Tile gates = k.sbuf(M, isa::Dtype::Fp32, {2, Chunk});
    const builder::Tile results = k.sbuf(M, isa::Dtype::Fp32, {2, Chunk});

    // Engines and queues work side by side, and each call waits for those before it that it depends on: here
    // sigmoid for the first matmul, the product for sigmoid and for the second matmul, the store for the
    // product.
    for (std::uint32_t first = 0, turn = 0; first < N; first += Chunk, turn = 1 - turn) {
        const builder::Tile moving = inputs.at(0, turn), gated = gates.at(0, turn),
                            result = results.at(0, turn);
        const builder::Tile gate_sum = k.psum(builder::Bank{2 * turn}, M, Chunk);
        const builder::Tile up_sum = k.psum(builder::Bank{2 * turn + 1}, M, Chunk);
        k.load(loads, moving, x.slice(1, first, Chunk));
        k.load_stationary(gate_weights);
        k.multiply_moving(gate_sum, moving);
        k.load_stationary(up_weights);
        k.multiply_moving(up_sum, moving);
        k.activation(gated, gate_sum, isa::Activation::Sigmoid);
        k.tensor_tensor(result, gated, isa::AluOp::Multiply, up_sum);
        k.store(stores, y.slice(1, first, Chunk), result);
    }
    return k.finish();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: make_{{name}} CONFIG FILE.neff\n");
        return 2;
    }
    try {
        neff::write(argv[2], build(target::of(config::load(argv[1]))));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_{{name}}: %s\n", error.what());
        return 2;
    }
    return 0;
}
