#include "tools/bench/collectives_benchmarks.hpp"

#include <chrono>
#include <stdexcept>

#include "compiler/collectives/execute.hpp"
#include "model/system/load_server.hpp"
#include "runtime/communicator/communicator.hpp"

namespace trnsim::bench {
namespace {

constexpr std::uint32_t Ranks = 32;
constexpr std::uint64_t Bytes = 4ULL << 20;                         // bytes of a rank's input
constexpr std::uint8_t One[] = {0x80, 0x3f}, Sum[] = {0x00, 0x42};  // bf16: 1, and the sum of 32 of them

template <typename Action>
double move_rate(Action&& action) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    action();
    return 1e-9 * static_cast<double>(Ranks * Bytes) /
           std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::uint8_t> ones() {
    std::vector<std::uint8_t> bytes(Bytes);
    for (std::size_t i = 0; i < Bytes; ++i) bytes[i] = One[i % 2];
    return bytes;
}

void expect_sums(const std::vector<std::uint8_t>& bytes) {
    for (std::size_t i = 0; i < Bytes; ++i)
        if (bytes.at(i) != Sum[i % 2]) throw std::runtime_error("a sum of 32 ones is not 32");
}

}  // namespace

Figure measure_collectives(const Environment&) {
    tlm::LinkedServer server(tlm::load_server("trn1.32xlarge"), {.collectives = true});
    communicator::Communicator ranks(server, communicator::first_cores(server.description(), Ranks));
    communicator::Buffers buffers;
    const std::vector<std::uint8_t> input = ones();
    for (std::uint32_t rank = 0; rank < Ranks; ++rank) {
        buffers.input.push_back(ranks.region(rank).base);
        buffers.output.push_back(ranks.region(rank).base + Bytes);
        ranks.write(rank, buffers.input[rank], input);
    }
    ranks.prepare({.operation = collectives::Operation::AllReduce,
                   .dtype = isa::Dtype::Bf16,
                   .count = Bytes / 2,
                   .ranks = Ranks},
                  buffers);
    Figure figure;
    figure.value = move_rate([&] { ranks.run(); });
    expect_sums(ranks.read(Ranks - 1, buffers.output[Ranks - 1], Bytes));

    auto memories = collectives::make_memories(ranks.schedule(), 0);
    for (collectives::Memory& memory : memories)
        memory[static_cast<std::size_t>(collectives::Buffer::Input)] = input;
    figure.reference = move_rate([&] { collectives::execute(ranks.schedule(), memories, {}); });
    expect_sums(memories[Ranks - 1][static_cast<std::size_t>(collectives::Buffer::Output)]);
    return figure;
}

}  // namespace trnsim::bench
