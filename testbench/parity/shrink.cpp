#include "testbench/parity/shrink.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "compiler/neff/check.hpp"

namespace trnsim::parity {
namespace {

using isa::Opcode;

// The place of an instruction. It stays the same whatever is taken out: an instruction that only waits and
// updates takes the place of one that is taken out.
struct InstructionId {
    std::size_t engine = 0, pc = 0;
};
using InstructionIds = std::vector<InstructionId>;

constexpr std::array Wait{&isa::field::WaitSem, &isa::field::WaitMode, &isa::field::WaitValue};
constexpr std::array Update{&isa::field::UpdateSem, &isa::field::UpdateMode, &isa::field::UpdateValue};
using Fields = std::array<const isa::Field*, 3>;

bool waits(const isa::Instruction& instruction) {
    return instruction.get(isa::field::WaitMode) != 0;
}

bool updates(const isa::Instruction& instruction) {
    return instruction.get(isa::field::UpdateMode) != 0;
}

void copy(const Fields& fields, const isa::Instruction& from, isa::Instruction& to) {
    for (const isa::Field* field : fields) to.set(*field, from.get(*field));
}

void clear(const Fields& fields, isa::Instruction& instruction) {
    for (const isa::Field* field : fields) instruction.set(*field, 0);
}

template <typename Predicate>
InstructionIds places_of(const neff::Package& package, const Predicate& chosen) {
    InstructionIds places;
    for (std::size_t engine = 0; engine < package.programs.size(); ++engine) {
        for (std::size_t pc = 0; pc < package.programs[engine].size(); ++pc)
            if (chosen(package.programs[engine][pc])) places.push_back({engine, pc});
    }
    return places;
}

isa::Instruction& at(neff::Package& package, const InstructionId& place) {
    return package.programs[place.engine][place.pc];
}

// What is not for the sequencer.
bool is_work(const isa::Instruction& instruction) {
    return instruction.opcode() > Opcode::RegisterStore;
}

// Replaces instructions by ones that wait and update as before; they update when all instructions before them
// have completed.
void take_out_instructions(neff::Package& package, std::span<const InstructionId> places) {
    for (const InstructionId& place : places) {
        const isa::Instruction gone = at(package, place);
        isa::Instruction& left = at(package, place) = isa::Instruction(Opcode::EventSemaphore);
        copy(Wait, gone, left);
        copy(Update, gone, left);
    }
}

bool is_transfer(const neff::Package& package, const isa::Instruction& instruction) {
    return instruction.opcode() == Opcode::DmaTrigger && !updates(instruction) &&
           !package.transfers.at(instruction.get(isa::field::Address)).collective;
}

// Replaces transfers by instructions that add what the DMA engines would have added, so that no engine waits
// for ever.
void take_out_transfers(neff::Package& package, std::span<const InstructionId> places) {
    for (const InstructionId& place : places) {
        const isa::Instruction gone = at(package, place);
        const std::uint64_t index = gone.get(isa::field::Address);
        isa::Instruction& left = at(package, place) = isa::Instruction(Opcode::EventSemaphore);
        copy(Wait, gone, left);
        left.set(isa::field::UpdateSem, package.transfers.at(index).semaphore)
            .set(isa::field::UpdateMode, isa::UpdateMode::Add)
            .set(isa::field::UpdateValue, static_cast<std::uint64_t>(package.target.dma_engines));
        package.transfers.erase(package.transfers.begin() + static_cast<std::ptrdiff_t>(index));
        for (auto& program : package.programs) {
            for (isa::Instruction& instruction : program) {
                if (instruction.opcode() != Opcode::DmaTrigger) continue;
                const std::uint64_t named = instruction.get(isa::field::Address);
                instruction.set(isa::field::Address, named - (named > index ? 1 : 0));
            }
        }
    }
}

void take_out_waits(neff::Package& package, std::span<const InstructionId> places) {
    for (const InstructionId& place : places) clear(Wait, at(package, place));
}

void take_out_updates(neff::Package& package, std::span<const InstructionId> places) {
    for (const InstructionId& place : places) clear(Update, at(package, place));
}

bool shows_it(const neff::Package& package, const Shows& shows) {
    try {
        neff::check(package);
    } catch (const neff::Error&) {
        return false;
    }
    return shows(package);
}

// Takes out as many of these places as possible: all at once, halves, quarters and so on to single ones.
// Returns whether any could be taken out.
bool take_out(neff::Package& package, InstructionIds places,
              void (*edit)(neff::Package&, std::span<const InstructionId>), const Shows& shows) {
    const std::size_t all = places.size();
    for (std::size_t size = all; size != 0; size = std::min(size / 2, places.size())) {
        for (std::size_t first = 0; first < places.size();) {
            const std::size_t count = std::min(size, places.size() - first);
            neff::Package candidate = package;
            edit(candidate, std::span(places).subspan(first, count));
            if (shows_it(candidate, shows)) {
                package = std::move(candidate);
                const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
                places.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            } else {
                first += count;
            }
        }
    }
    return places.size() != all;
}

// Returns the updates of semaphores for which no instruction waits.
InstructionIds updates_for_nobody(const neff::Package& package) {
    std::vector<bool> awaited(std::size_t{1} << isa::field::WaitSem.width);
    for (const auto& program : package.programs) {
        for (const isa::Instruction& instruction : program)
            if (waits(instruction)) awaited[instruction.get(isa::field::WaitSem)] = true;
    }
    return places_of(package, [&](const isa::Instruction& instruction) {
        return updates(instruction) && !awaited[instruction.get(isa::field::UpdateSem)];
    });
}

bool does_nothing(const isa::Instruction& instruction) {
    const Opcode opcode = instruction.opcode();
    return (opcode == Opcode::Nop || opcode == Opcode::EventSemaphore) && !waits(instruction) &&
           !updates(instruction);
}

// Removes idle instructions from programs without branches, as targets of branches count instructions.
neff::Package without_idle_instructions(neff::Package package) {
    for (std::size_t engine = 0; engine < package.programs.size(); ++engine) {
        auto& program = package.programs[engine];
        if (std::ranges::find(program, Opcode::Branch, &isa::Instruction::opcode) != program.end()) continue;
        auto& sources = package.sources.of[engine];
        for (std::size_t pc = program.size(); pc-- > 0;) {
            if (!does_nothing(program[pc])) continue;
            program.erase(program.begin() + static_cast<std::ptrdiff_t>(pc));
            if (!sources.empty()) sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(pc));
        }
    }
    return package;
}

}  // namespace

neff::Package shrink(neff::Package package, const Shows& shows) {
    // The source of a transfer has to be written. So removing instructions may allow removing transfers, and
    // the other way round.
    for (bool goes_on = true; goes_on;) {
        take_out(package, places_of(package, is_work), take_out_instructions, shows);
        goes_on = take_out(
            package,
            places_of(package, [&](const isa::Instruction& each) { return is_transfer(package, each); }),
            take_out_transfers, shows);
    }
    take_out(package, places_of(package, waits), take_out_waits, shows);
    take_out(package, updates_for_nobody(package), take_out_updates, shows);
    neff::Package shorter = without_idle_instructions(package);
    return shows_it(shorter, shows) ? shorter : package;
}

std::size_t instructions_of(const neff::Package& package) {
    std::size_t count = 0;
    for (const auto& program : package.programs) count += program.size();
    return count;
}

}  // namespace trnsim::parity
