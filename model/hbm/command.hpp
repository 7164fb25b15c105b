// Commands of a pseudo channel.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/hbm/organisation.hpp"

namespace trnsim::tlm::hbm {

enum class Command : std::uint8_t {
    Activate,      // ACT: opens a row; two cycles of the row command bus
    Precharge,     // PRE: closes a bank
    PrechargeAll,  // PREA
    Read,          // RD
    ReadAuto,      // RDA: closes the bank when it may
    Write,         // WR
    WriteAuto,     // WRA
    RefreshAll,    // REFab
    RefreshBank,   // REFpb
    Count
};
constexpr std::size_t Commands = static_cast<std::size_t>(Command::Count);

constexpr std::array<std::string_view, Commands> CommandNames{"ACT", "PRE", "PREA",  "RD",   "RDA",
                                                              "WR",  "WRA", "REFab", "REFpb"};

constexpr std::string_view name_of(Command command) {
    return CommandNames[static_cast<std::size_t>(command)];
}

// Returns the cycles on the command bus.
constexpr Cycle cycles_of(Command command) {
    return command == Command::Activate ? 2 : 1;
}

// A command that a pseudo channel was given.
struct CommandRecord {
    Cycle at;
    unsigned channel, pseudo;
    Command command;
    unsigned bank;           // 0 for commands to all banks
    std::uint32_t row;       // for ACT and column commands
    unsigned column;         // for column commands
    std::uint64_t sequence;  // for column commands: number of the request, in the order of arrival
};

class CommandSink {
  public:
    virtual ~CommandSink() = default;
    virtual void command(const CommandRecord& record) = 0;
};

}  // namespace trnsim::tlm::hbm
