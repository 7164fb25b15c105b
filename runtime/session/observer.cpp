#include "runtime/session/observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "arch/cost/tensor.hpp"
#include "compiler/neff/package.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"

namespace trnsim::runtime {
namespace {

// Instructions that change nothing but registers of the sequencer; they may also update a semaphore.
constexpr std::array Effectless{isa::Opcode::Nop, isa::Opcode::EventSemaphore, isa::Opcode::Branch,
                                isa::Opcode::RegisterAlu, isa::Opcode::RegisterLoad};

bool has_effect(const isa::Instruction& instruction) {
    return instruction.get(isa::field::UpdateMode) != 0 ||
           std::ranges::find(Effectless, instruction.opcode()) == Effectless.end();
}

const isa::Instruction* find(const neff::Package& package, std::uint32_t engine, std::uint64_t pc) {
    if (engine >= package.programs.size() || pc >= package.programs[engine].size()) return nullptr;
    return &package.programs[engine][pc];
}

std::uint64_t elements(const isa::Instruction& instruction) {
    return instruction.get(isa::field::Count0) * instruction.get(isa::field::Count1) *
           instruction.get(isa::field::Count2) * instruction.get(isa::field::Count3);
}

std::uint64_t operand_bytes(const isa::Instruction& instruction, const isa::Field& dtype,
                            std::uint64_t lanes) {
    return lanes * elements(instruction) * isa::element_size(static_cast<isa::Dtype>(instruction.get(dtype)));
}

// An operand of an instruction whose bytes are shown in a trace.
struct OperandRow {
    const char* name;
    bool used;
    const isa::Field* dtype;
};

std::array<OperandRow, 3> operand_rows(const isa::Instruction& instruction) {
    const isa::InstructionInfo* info = instruction.info();
    return {{{"bytes a", info != nullptr && info->uses_a, &isa::field::ADtype},
             {"bytes b", instruction.reads_b(), &isa::field::BDtype},
             {"bytes written", info != nullptr && info->uses_dst, &isa::field::DstDtype}}};
}

}  // namespace

std::string describe(const neff::Package& package, std::uint32_t engine, std::uint64_t pc) {
    const isa::Instruction* instruction = find(package, engine, pc);
    if (instruction == nullptr) return "";
    std::string text = isa::disassemble(*instruction);
    if (instruction->opcode() == isa::Opcode::DmaTrigger) {
        const std::uint64_t id = instruction->get(isa::field::Address);
        if (id < package.transfers.size()) text += fmt::format(" ('{}')", package.transfers[id].name);
    }
    return text;
}

Observer::Observer(const neff::Package& package, Tracks* trace, addresses::CoreId core)
    : package_(package), core_(core) {
    if (trace != nullptr) timeline_.emplace(package, *trace, core);
}

void Observer::packet(const tlm::trace::Packet& packet) {
    if (timeline_ && addresses::CoreId{packet.chip, packet.core} == core_) timeline_->packet(packet);
}

void Observer::instruction(const tlm::trace::Instruction& event) {
    if (event.core != core_) return;
    const isa::Instruction* instruction = find(package_, event.engine, event.pc);
    if (instruction == nullptr) return;
    ++instructions_;
    if (has_effect(*instruction)) last_effect_ = instructions_;
    const unsigned passes = passes_.next(*instruction);
    estimates::add(work_, *instruction, passes);
    std::uint64_t ideal_cycles = 0;
    if (instruction->opcode() == isa::Opcode::MultiplyMoving) {
        const std::uint64_t columns = instruction->get(isa::field::Columns);
        const std::uint64_t moving = elements(*instruction);
        const std::uint64_t macs = instruction->get(isa::field::Partitions) * columns * moving;
        matmul_.macs += macs;
        if (instruction->get(isa::field::Onezero) != 0) matmul_.onezero_macs += macs;
        ideal_cycles = cost::pass_cycles(columns, moving) * passes;
        matmul_.ideal_cycles += ideal_cycles;
        if (matmul_.instructions == 0 || event.issue_cycle < matmul_.first_cycle)
            matmul_.first_cycle = event.issue_cycle;
        matmul_.last_cycle = std::max(matmul_.last_cycle, event.completion_cycle);
        ++matmul_.instructions;
    }
    if (timeline_) trace_instruction(event, *instruction, ideal_cycles);
}

void Observer::trace_instruction(const tlm::trace::Instruction& event, const isa::Instruction& instruction,
                                 std::uint64_t ideal_cycles) {
    const std::string text = describe(package_, event.engine, event.pc);
    std::vector<Argument> arguments{{"pc", std::uint64_t{event.pc}},
                                    {"cycles", event.completion_cycle - event.issue_cycle},
                                    {"instruction", std::string_view(text)}};
    const std::string line = neff::source_line(package_, event.engine, event.pc);
    if (!line.empty()) arguments.push_back({"line", std::string_view(line)});
    for (const OperandRow& row : operand_rows(instruction)) {
        if (!row.used) continue;
        const bool matmul_result =
            instruction.opcode() == isa::Opcode::MultiplyMoving && row.dtype == &isa::field::DstDtype;
        const std::uint64_t lanes =
            instruction.get(matmul_result ? isa::field::Columns : isa::field::Partitions);
        arguments.push_back({row.name, operand_bytes(instruction, *row.dtype, lanes)});
    }
    timeline_->instruction(event, instruction, ideal_cycles, arguments);
}

}  // namespace trnsim::runtime
