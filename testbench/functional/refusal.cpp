// The checks of the sequencer.
#include "testbench/functional/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "arch/operands/operands.hpp"
#include "arch/target/memory.hpp"
#include "isa/disassembler.hpp"
#include "isa/element_type.hpp"
#include "isa/error_text.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/operand.hpp"

namespace trnsim::functional {

namespace field = isa::field;
using isa::Instruction;
using isa::Opcode;

namespace {

using Code = isa::Error;

// An operand before its elements may be listed.
struct Claim {
    Role role = Role::Dst;
    std::uint32_t address = 0, partitions = 0;
    isa::Dtype dtype = isa::Dtype::Fp32;
    isa::Counts counts{1, 1, 1, 1};
    isa::Steps steps{};

    std::int64_t bytes() const { return isa::element_size(dtype); }
    // The lowest and the end of the bytes of its elements, from the first element's byte.
    std::pair<std::int64_t, std::int64_t> reach() const {
        std::int64_t low = 0, end = bytes();
        for (std::size_t dim = 0; dim < counts.size(); ++dim) {
            const std::int64_t way = steps[dim] * (std::int64_t{counts[dim]} - 1) * bytes();
            (way < 0 ? low : end) += way;
        }
        return {low, end};
    }
};

// The operands of an instruction, and those that stand in place of its immediates.
struct Claims {
    std::optional<Claim> dst, a, b;
    std::array<std::optional<Claim>, 2> immediates;

    template <typename Visit>
    void each(const Visit& visit) const {
        for (const std::optional<Claim>* claim : {&dst, &a, &b, &immediates[0], &immediates[1]})
            if (*claim) visit(**claim);
    }
};

Claims claims_of(const Instruction& instruction, const target::Core& target) {
    const isa::InstructionView bytes = instruction.bytes();
    const isa::InstructionInfo& info = *instruction.info();
    Claims claims;
    for (const isa::OperandInfo& operand : isa::operands_of(info)) {
        if (!isa::is_there(bytes, operand)) continue;
        const isa::OperandFields& fields = isa::fields_of(operand.role);
        const auto extent =
            operands::extent_of(bytes, operand, static_cast<std::uint32_t>(target.partitions) / 4);
        Claim claim{operand.role,      get32(bytes, *fields.address),
                    extent.partitions, get_as<isa::Dtype>(bytes, *fields.dtype),
                    extent.counts,     isa::steps_of(bytes, operand.role)};
        (operand.role == Role::Dst ? claims.dst : operand.role == Role::A ? claims.a : claims.b) = claim;
    }
    std::size_t next = 0;
    for (const isa::ImmediateInfo& immediate : isa::immediates_of(info)) {
        std::optional<Claim>& claim = claims.immediates.at(next++);
        if (get(bytes, *immediate.flag) == 0) continue;
        claim.emplace();
        claim->address = get32(bytes, *immediate.value);
        claim->partitions = get32(bytes, field::Partitions);
        claim->dtype = isa::type_of(isa::vector_type(bytes, immediate));
        // The code of fp32 in other fields names no type here.
        if (isa::name_of(isa::vector_type(bytes, immediate)).empty()) claim->dtype = isa::Dtype{};
    }
    return claims;
}

Refusal refusal_of_place(const Claim& claim, const target::Core& target) {
    const auto refuse = [&](Code code, std::string_view rule) { return Refusal{code, claim.address, rule}; };
    const auto partitions = static_cast<std::uint32_t>(target.partitions);
    if (claim.address >= isa::window::EventBase)
        return refuse(Code::AddressRange, "an operand is outside SBUF and PSUM");
    const bool psum = claim.address >= isa::window::PsumBase;
    const auto memory = psum ? target::Memory::Psum : target::Memory::Sbuf;
    const std::uint32_t stride = target::partition_stride(target, memory);
    const std::uint32_t within = claim.address - (psum ? isa::window::PsumBase : isa::window::SbufBase);
    const std::uint32_t first = within / stride;
    if (first + claim.partitions > partitions)
        return refuse(Code::PartitionRange, "an operand has partitions that are not there");
    const std::uint32_t granule = claim.partitions > partitions / 2   ? partitions
                                  : claim.partitions > partitions / 4 ? partitions / 2
                                                                      : partitions / 4;
    if (first % granule != 0)
        return refuse(Code::PartitionStart, "an operand of so many partitions does not start there");
    if (claim.address % claim.bytes() != 0)
        return refuse(Code::AddressAlign, "an operand is not aligned to its elements");
    const std::int64_t offset = within % stride;
    const auto [low, end] = claim.reach();
    if (offset + low < 0 || offset + end > static_cast<std::int64_t>(target::partition_bytes(target, memory)))
        return refuse(Code::AddressRange, "elements of an operand are outside their partition");
    return {};
}

// Returns what operand_of() lists, for an operand whose elements all have a place of their own at most.
Places places_of_claim(const Instruction& instruction, const target::Core& target, const Claim& claim) {
    return places_of(target, operand_of(instruction, target, claim.role, claim.partitions));
}

bool overlaps(const Instruction& instruction, const target::Core& target, const Claim& dst,
              const Claim& source) {
    const auto [dst_low, dst_end] = dst.reach();
    const auto [low, end] = source.reach();
    const target::Location to = functional::locate(target, dst.address),
                           from = functional::locate(target, source.address);
    const bool meet = to.memory == from.memory && to.partition == from.partition &&
                      to.offset + dst_low < from.offset + end && from.offset + low < to.offset + dst_end;
    if (!meet) return false;
    // More elements than places share places; then neither in place nor interleaved operands are defined.
    const auto places = static_cast<std::uint64_t>((end - low) / source.bytes());
    if (dst.counts != source.counts || isa::elements_up_to(source.counts, places + 1) > places) return true;
    return overlap_is_undefined(places_of_claim(instruction, target, dst),
                                places_of_claim(instruction, target, source));
}

Refusal refusal_of_operands(const Instruction& instruction, const target::Core& target) {
    const Claims claims = claims_of(instruction, target);
    const auto some = [&](const auto& broken) {
        bool found = false;
        claims.each([&](const Claim& claim) { found = found || broken(claim); });
        return found;
    };
    if (some([](const Claim& claim) { return claim.bytes() == 0; }))
        return {Code::Dtype, 0, "an operand has no element type"};
    const auto partitions = static_cast<std::uint32_t>(target.partitions);
    if (some([&](const Claim& claim) { return claim.partitions < 1 || claim.partitions > partitions; }))
        return {Code::PartitionRange, 0, "a number of partitions that the core does not have"};
    const isa::Counts shape = isa::shape_of(instruction.bytes());
    if (std::ranges::find(shape, 0u) != shape.end()) return {Code::Shape, 0, "a count is 0"};
    Refusal refusal;
    claims.each([&](const Claim& claim) {
        if (!refusal) refusal = refusal_of_place(claim, target);
    });
    if (refusal || !claims.dst) return refusal;
    for (const std::optional<Claim>* source : {&claims.a, &claims.b}) {
        if (*source && overlaps(instruction, target, *claims.dst, **source))
            return {Code::OperandOverlap, (**source).address,
                    "dst overlaps a source other than exactly in place or interleaved"};
    }
    return {};
}

Refusal refusal_of_control(const Instruction& instruction) {
    switch (instruction.opcode()) {
        case Opcode::Branch:
            if (instruction.get(field::Condition) > static_cast<unsigned>(isa::BranchCond::Ge))
                return {Code::UnsupportedOperand, 0, "an undefined branch condition"};
            return {};
        case Opcode::RegisterAlu:
            if (isa::name_of(static_cast<isa::RegOp>(instruction.get(field::RegOp))).empty())
                return {Code::UnsupportedOperand, 0, "an undefined register operation"};
            return {};
        case Opcode::RegisterLoad:
        case Opcode::RegisterStore: {
            const std::uint64_t address = instruction.get(field::Address);
            const auto word = static_cast<std::uint32_t>(address);
            if (address >= isa::window::Size)
                return {Code::AddressRange, word, "an address outside the core window"};
            if (address % 4 != 0) return {Code::AddressAlign, word, "an address that is no multiple of 4"};
            return {};
        }
        default:
            return {};
    }
}

}  // namespace

Refusal refusal_of(isa::Engine engine, const Instruction& instruction, const target::Core& target,
                   const EngineStates& states) {
    const isa::InstructionInfo* info = instruction.info();
    if (info == nullptr || (info->engines >> static_cast<unsigned>(engine) & 1) == 0)
        return {Code::IllegalInstruction, 0, "this engine does not have the instruction"};
    if (instruction.opcode() <= Opcode::RegisterStore) return refusal_of_control(instruction);
    if (info->uses_dst || info->uses_a) {
        if (const Refusal refusal = refusal_of_operands(instruction, target)) return refusal;
    }
    switch (engine) {
        case isa::Engine::Tensor:
            return refusal_by_tensor(instruction, target, states.tensor);
        case isa::Engine::Vector:
            return refusal_by_vector(instruction, states.vector);
        case isa::Engine::Scalar:
            return refusal_by_scalar(instruction, states.scalar);
        case isa::Engine::Gpsimd:
            return refusal_by_gpsimd(instruction, target);
        default:
            return {};
    }
}

std::string describe(const Refusal& refusal, const target::Core& target) {
    const std::string where =
        refusal.address == 0
            ? ""
            : ": " + isa::format_address(refusal.address, target::sbuf_partition_stride(target));
    return fmt::format("{}{}: {}", isa::find_error_text(refusal.error)->text, where, refusal.rule);
}

void require_accepted(isa::Engine engine, const Instruction& instruction, const target::Core& target,
                      const EngineStates& states) {
    if (const Refusal refusal = refusal_of(engine, instruction, target, states))
        throw Error(describe(refusal, target));
}

}  // namespace trnsim::functional
