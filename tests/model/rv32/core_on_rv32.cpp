// Implements SimulatedCore with the project's instruction-set simulator.
#include <algorithm>
#include <stdexcept>

#include "model/rv32/hart.hpp"
#include "tests/firmware/simulated_core.hpp"

namespace trnsim::test {

namespace {

constexpr std::uint64_t MostInstructions = 50'000'000;

}  // namespace

bool has_simulator() {
    return true;
}

firmware::Status SimulatedCore::run_bytes(std::uint32_t command, std::span<const std::uint8_t> arguments) {
    const firmware::Mailbox mailbox = request(command, arguments);
    rv32::Hart hart({.vlen = image_.vlen, .hart_id = core});
    for (const firmware::Segment& segment : image_.segments) hart.write_tcm(segment.address, segment.bytes);
    hart.write_tcm(TRNSIM_MAILBOX_BASE, {reinterpret_cast<const std::uint8_t*>(&mailbox), sizeof(mailbox)});

    // Converts between the slice in the order of its addresses and its partitions, one after the other.
    std::vector<std::uint8_t> partitions(std::size_t{TRNSIM_PARTITION_BYTES} * firmware::Partitions);
    const auto place = [](std::size_t offset) {
        return offset / 4 % firmware::Partitions * TRNSIM_PARTITION_BYTES +
               offset / (4 * firmware::Partitions) * 4 + offset % 4;
    };
    for (std::size_t k = 0; k < slice.bytes.size(); ++k) partitions[place(k)] = slice.bytes[k];
    hart.attach({.data = partitions.data(),
                 .partition_bytes = TRNSIM_PARTITION_BYTES,
                 .partitions = firmware::Partitions});
    hart.start(image_.entry);
    if (hart.run(MostInstructions) != rv32::Stop::Waiting)
        throw std::runtime_error("the core does not come to wait");
    for (std::size_t k = 0; k < slice.bytes.size(); ++k) slice.bytes[k] = partitions[place(k)];
    tcm_.assign(hart.tcm().begin(), hart.tcm().end());
    const firmware::Mailbox done = mailbox_of(tcm_);
    if (done.completed != Request) throw std::runtime_error("the core waits with its request not completed");
    return done.status;
}

}  // namespace trnsim::test
