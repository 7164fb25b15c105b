#include "rtl/control/programs.hpp"

namespace trnsim::test {

using isa::Instruction;
using isa::Opcode;
using isa::UpdateMode;
using isa::WaitMode;
namespace field = isa::field;

bool has_data_path(int engine) {
    return engine != static_cast<int>(isa::Engine::Sync);
}

Instruction data_path(int engine) {
    const auto shape = [](Instruction instruction) {
        instruction.set(field::Partitions, 128)
            .set(field::Count0, 16)
            .set(field::Count1, 4)
            .set(field::Count2, 1)
            .set(field::Count3, 1);
        return instruction.set(field::ADtype, isa::Dtype::Fp32)
            .set(field::AAddr, sbuf(0, 1024))
            .set(field::AStep0, 1)
            .set(field::AStep1, 16);
    };
    const auto result = [](Instruction instruction) {
        return instruction.set(field::DstDtype, isa::Dtype::Fp32)
            .set(field::DstAddr, sbuf(0, 8192))
            .set(field::DstStep0, 1)
            .set(field::DstStep1, 16);
    };
    switch (static_cast<isa::Engine>(engine)) {
        case isa::Engine::Tensor:
            return shape(Instruction(Opcode::LoadStationary));
        case isa::Engine::Scalar:
            return result(shape(Instruction(Opcode::Activation)));
        case isa::Engine::Gpsimd:
            return Instruction(Opcode::GpsimdCommand).set(field::CoreMask, 1);
        default:
            return result(shape(Instruction(Opcode::TensorCopy)));
    }
}

Instruction write_register(std::uint64_t address, std::uint32_t data) {
    return Instruction(Opcode::Write).set(field::Address, address).set(field::Data, data);
}

Instruction ring_doorbells(std::uint64_t address, unsigned mask, std::uint32_t stride, unsigned m2s,
                           unsigned s2m) {
    return Instruction(Opcode::DmaTrigger)
        .set(field::Address, address)
        .set(field::EngineMask, mask)
        .set(field::EngineStride, stride)
        .set(field::M2sCount, m2s)
        .set(field::S2mCount, s2m);
}

bool is_control(const Instruction& instruction) {
    return instruction.opcode() <= Opcode::RegisterStore;
}

bool is_scalar(const Instruction& instruction) {
    return instruction.opcode() == Opcode::Branch || instruction.opcode() == Opcode::RegisterAlu;
}

bool uses_window(const Instruction& instruction) {
    return instruction.opcode() == Opcode::RegisterLoad || instruction.opcode() == Opcode::RegisterStore;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> system_writes(const Instruction& instruction) {
    const std::uint64_t address = instruction.get(field::Address);
    if (instruction.opcode() == Opcode::Write) {
        return {{address, static_cast<std::uint32_t>(instruction.get(field::Data))}};
    }
    std::vector<std::pair<std::uint64_t, std::uint32_t>> writes;
    if (instruction.opcode() != Opcode::DmaTrigger) return writes;
    const auto counts =
        static_cast<std::uint32_t>(instruction.get(field::S2mCount) << 16 | instruction.get(field::M2sCount));
    for (unsigned engine = 0; engine < 16; ++engine) {
        if ((instruction.get(field::EngineMask) >> engine & 1) == 0) continue;
        writes.emplace_back(address + engine * instruction.get(field::EngineStride), counts);
    }
    return writes;
}

bool wait_satisfied(const Instruction& instruction, std::uint32_t value) {
    const auto bound = static_cast<std::uint32_t>(instruction.get(field::WaitValue));
    switch (static_cast<WaitMode>(instruction.get(field::WaitMode))) {
        case WaitMode::Ge:
            return value >= bound;
        case WaitMode::Eq:
            return value == bound;
        case WaitMode::Le:
            return value <= bound;
        default:
            return true;
    }
}

std::uint32_t updated(const Instruction& instruction, std::uint32_t value) {
    const auto operand = static_cast<std::uint32_t>(instruction.get(field::UpdateValue));
    switch (static_cast<UpdateMode>(instruction.get(field::UpdateMode))) {
        case UpdateMode::Set:
            return operand;
        case UpdateMode::Add:
            return value + operand;
        case UpdateMode::Sub:
            return value - operand;
        default:
            return value;
    }
}

// Semaphores 0..15 only grow, and any engine waits for them with >=. Semaphore 32 + e belongs to engine e:
// control instructions set, add and subtract, and wait for its exact value, which program order determines.
RandomPrograms random_programs(std::mt19937_64& random, unsigned instructions) {
    RandomPrograms result;
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    for (unsigned i = 0; i < instructions; ++i) {
        const int engine = static_cast<int>(pick(Engines));
        const unsigned own = 32 + engine;
        const unsigned kind = pick(16);
        Instruction instruction(pick(2) ? Opcode::Nop : Opcode::EventSemaphore);
        if (kind == 0) {
            instruction =
                write_register(0x100000000000ull + pick(1000) * 4, static_cast<std::uint32_t>(random()));
        } else if (kind == 1) {
            instruction = ring_doorbells(0xffff0000028ull, pick(65536), 0x40000, pick(65536), pick(65536));
        } else if (kind > 4 && has_data_path(engine)) {
            instruction = data_path(engine);
        }
        if (is_control(instruction) && pick(2)) {
            std::uint32_t& value = result.final_value[own];
            const auto mode = static_cast<WaitMode>(1 + pick(3));
            instruction = wait_for(instruction, own, mode, value + (mode == WaitMode::Le ? pick(3) : 0));
            const auto update = static_cast<UpdateMode>(pick(4));
            instruction =
                then_update(instruction, own, update,
                            update == UpdateMode::Sub ? pick(std::min(value, 65535u) + 1) : pick(1000));
            value = updated(instruction, value);
        } else {
            const unsigned waits = pick(16), updates = pick(16);
            if (pick(2)) {
                const std::uint32_t reached = result.final_value[waits];
                instruction =
                    wait_for(instruction, waits, WaitMode::Ge, reached - std::min(reached, pick(4)));
            }
            if (pick(4)) instruction = then_update(instruction, updates, UpdateMode::Add, pick(3));
            if (instruction.get(field::UpdateMode) != 0) {
                result.final_value[updates] = updated(instruction, result.final_value[updates]);
            }
        }
        result.program[engine].push_back(instruction);
    }
    for (Program& program : result.program) program.push_back(halt());
    return result;
}

}  // namespace trnsim::test
