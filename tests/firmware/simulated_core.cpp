#include "tests/firmware/simulated_core.hpp"

#include <algorithm>

namespace trnsim::test {

firmware::Mailbox SimulatedCore::request(std::uint32_t command,
                                         std::span<const std::uint8_t> arguments) const {
    firmware::Mailbox mailbox{};
    mailbox.request = Request;
    mailbox.command = command;
    mailbox.core = core;
    mailbox.cores = cores;
    mailbox.partition_bytes = partition_bytes;
    mailbox.partitions = partitions;
    std::memcpy(mailbox.arguments, arguments.data(), arguments.size());
    return mailbox;
}

firmware::Mailbox SimulatedCore::mailbox_of(std::span<const std::uint8_t> tcm) {
    firmware::Mailbox mailbox;
    std::memcpy(&mailbox, &tcm[TRNSIM_MAILBOX_BASE - TRNSIM_TCM_BASE], sizeof(mailbox));
    return mailbox;
}

std::string SimulatedCore::printed(std::span<const std::uint8_t> tcm) {
    const std::uint32_t end = mailbox_of(tcm).printed;
    std::string text;
    for (std::uint32_t k = end - std::min<std::uint32_t>(end, TRNSIM_PRINT_BYTES); k != end; ++k) {
        text += static_cast<char>(tcm[TRNSIM_PRINT_BASE - TRNSIM_TCM_BASE + k % TRNSIM_PRINT_BYTES]);
    }
    return text;
}

}  // namespace trnsim::test
