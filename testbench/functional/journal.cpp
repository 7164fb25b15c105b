#include "testbench/functional/journal.hpp"

#include <fmt/format.h>

#include "isa/disassembler.hpp"

namespace trnsim::functional {
namespace {

std::string at(const std::string& line) {
    return line.empty() ? "" : " at " + line;
}

}  // namespace

std::string describe_instruction(const neff::Package& package, std::size_t engine, std::size_t pc) {
    return fmt::format("{} instruction {} [{}]{}", isa::name_of(static_cast<isa::Engine>(engine)), pc,
                       isa::disassemble(package.programs[engine][pc]),
                       at(neff::source_line(package, engine, pc)));
}

std::string describe_transfer(const neff::Package& package, std::size_t transfer, std::uint32_t iteration) {
    const neff::Transfer& it = package.transfers[transfer];
    return fmt::format("transfer {} '{}'{}{}", transfer, it.name,
                       it.loop ? fmt::format(" in iteration {}", iteration) : "",
                       at(neff::source_line_of_transfer(package, transfer)));
}

Journal::Journal(const neff::Package& package)
    : package_(package), agents_(package), orders_(neff::ring_orders(package)), works_(agents_.count()) {}

std::string Journal::describe(std::size_t agent, std::uint32_t time) const {
    if (agent < neff::EngineCount) return describe_instruction(package_, agent, work(agent, time));
    const std::uint32_t transfer = work(agent, time);
    const std::uint32_t iteration = orders_[package_.transfers[transfer].queue].at(time - 1).iteration;
    return fmt::format("{}, {}", agents_.name(agent), describe_transfer(package_, transfer, iteration));
}

std::string Journal::key(std::size_t agent, std::uint32_t time) const {
    const std::string who = agent < neff::EngineCount ? agents_.name(agent) : "transfer";
    return fmt::format("{} {}", who, work(agent, time));
}

}  // namespace trnsim::functional
