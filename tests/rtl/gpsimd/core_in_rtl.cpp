// Implements SimulatedCore on the RTL, with ports that stall.
#include <stdexcept>

#include "tests/firmware/simulated_core.hpp"
#include "tests/rtl/gpsimd/core_bench.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t MaxCycles = 20'000'000;

// Puts the bytes of an area of TCM into its words.
void place(std::vector<std::uint32_t>& words, std::uint32_t address, std::span<const std::uint8_t> bytes) {
    std::memcpy(reinterpret_cast<std::uint8_t*>(words.data()) + (address - TRNSIM_TCM_BASE), bytes.data(),
                bytes.size());
}

}  // namespace

bool has_simulator() {
    return true;
}

firmware::Status SimulatedCore::run_bytes(std::uint32_t command, std::span<const std::uint8_t> arguments) {
    if (image_.vlen != Vlen) throw std::runtime_error("the image is for cores with another VLEN");
    const firmware::Mailbox mailbox = request(command, arguments);
    std::vector<std::uint32_t> words(TRNSIM_TCM_BYTES / sizeof(std::uint32_t));
    for (const firmware::Segment& segment : image_.segments) place(words, segment.address, segment.bytes);
    place(words, TRNSIM_MAILBOX_BASE, {reinterpret_cast<const std::uint8_t*>(&mailbox), sizeof(mailbox)});

    CoreBench bench(command + core, true);
    bench.load(words);
    std::memcpy(bench.slice().data(), slice.bytes.data(), slice.bytes.size());
    bench.start(image_.entry);
    while (!bench.step().waiting) {
        if (bench.cycles() > MaxCycles) throw std::runtime_error("the core does not come to wait");
    }
    std::memcpy(slice.bytes.data(), bench.slice().data(), slice.bytes.size());
    const std::vector<std::uint32_t> after = bench.read_tcm();
    const auto* begin = reinterpret_cast<const std::uint8_t*>(after.data());
    tcm_.assign(begin, begin + TRNSIM_TCM_BYTES);
    const firmware::Mailbox done = mailbox_of(tcm_);
    if (done.completed != Request) throw std::runtime_error("the core waits with its request not completed");
    return done.status;
}

}  // namespace trnsim::test
