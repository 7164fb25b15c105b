// Accesses of the sequencers to semaphores and to the core window, and what they learn from the values.
#include <fmt/format.h>

#include "testbench/functional/interpretation.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Instruction;

namespace {

constexpr std::uint32_t SemaphoreBytes = 4;

}  // namespace

bool Interpretation::satisfied(const Instruction& instruction) const {
    const std::uint32_t now = semaphores_[instruction.get(field::WaitSem)];
    const auto value = static_cast<std::uint32_t>(instruction.get(field::WaitValue));
    switch (static_cast<isa::WaitMode>(instruction.get(field::WaitMode))) {
        case isa::WaitMode::None:
            return true;
        case isa::WaitMode::Ge:
            return now >= value;
        case isa::WaitMode::Eq:
            return now == value;
        case isa::WaitMode::Le:
            return now <= value;
    }
    return false;
}

// Adds what the engine learns from the semaphore at its instruction `time`.
void Interpretation::learn(std::size_t engine, std::uint32_t time, std::size_t semaphore, std::uint32_t value,
                           bool at_least, bool at_most) {
    Stream& stream = streams_[engine];
    const auto known = [&](std::size_t agent) {
        return agent == engine ? stream.drained : stream.clock[agent];
    };
    SemaphoreHistory& history = history_[semaphore];
    const SemaphoreHistory::Reading reading{engine, agents_.issue_entry(engine), time};
    const std::size_t entries = agents_.clock_entries();
    const Clock low = at_least ? history.at_least(value, known, reading, entries) : stream.clock;
    const Clock high = at_most ? history.at_most(value, known, reading, entries) : stream.clock;
    join(stream.clock, low);
    join(stream.clock, high);
}

// Loads from SBUF and PSUM like any operand, and from semaphores through their aliases.
void Interpretation::load_register(std::size_t engine, const Instruction& instruction, const Clock& clock) {
    const std::uint64_t address = instruction.get(field::Address);
    std::uint32_t value = 0;
    if (address < isa::window::EventBase) {
        storage_.note(false, address, sizeof value, {engine, streams_[engine].time, &clock});
        value = storage_.core.read(static_cast<std::uint32_t>(address), sizeof value);
    } else if (address >= isa::window::SemRead && address < isa::window::SemSet) {
        const std::size_t semaphore = (address - isa::window::SemRead) / SemaphoreBytes;
        value = semaphores_[semaphore];
        learn(engine, streams_[engine].time, semaphore, value, true, true);
    } else {
        throw Error("only SBUF, PSUM and semaphores are modelled");
    }
    streams_[engine].registers.set(instruction.get(field::RegDst), value);
}

void Interpretation::store_register(std::size_t engine, const Instruction& instruction, const Clock& clock) {
    constexpr std::array Modes{isa::UpdateMode::Set, isa::UpdateMode::Add, isa::UpdateMode::Sub};
    constexpr std::uint32_t AliasBytes = isa::window::SemInc - isa::window::SemSet;
    const std::uint64_t address = instruction.get(field::Address);
    const std::uint32_t value = streams_[engine].registers.get(instruction, field::RegB);
    if (address < isa::window::EventBase) {
        storage_.note(true, address, sizeof value, {engine, streams_[engine].time, &clock});
        storage_.core.write(static_cast<std::uint32_t>(address), sizeof value, value);
    } else if (address >= isa::window::SemSet && address < isa::window::SemSet + Modes.size() * AliasBytes) {
        const std::uint64_t offset = address - isa::window::SemSet;
        update(engine, Modes[offset / AliasBytes], offset % AliasBytes / SemaphoreBytes, value, clock);
    } else {
        throw Error("only SBUF, PSUM and semaphores are modelled");
    }
}

void Interpretation::update(std::size_t engine, isa::UpdateMode mode, std::size_t index, std::uint32_t value,
                            const Clock& clock) {
    std::uint32_t& semaphore = semaphores_[index];
    switch (mode) {
        case isa::UpdateMode::None:
            return;
        case isa::UpdateMode::Set:
            semaphore = value;
            break;
        case isa::UpdateMode::Add:
            if (semaphore + value < semaphore) throw Error(fmt::format("S[{}] exceeds 32 bits", index));
            semaphore += value;
            break;
        case isa::UpdateMode::Sub:
            if (value > semaphore) throw Error(fmt::format("S[{}] falls below 0", index));
            semaphore -= value;
            break;
    }
    history_[index].changed(mode, value, engine, streams_[engine].time, clock);
}

}  // namespace trnsim::functional
