#include "testbench/coverage/measure.hpp"

#include <algorithm>
#include <array>

#include "arch/target/memory.hpp"
#include "isa/operands.hpp"

namespace trnsim::coverage {
namespace {

// The field of a name in every instruction, by opcode; null if the instruction does not have it.
using Fields = std::array<const isa::Field*, 256>;

Fields fields_of(std::string_view name) {
    Fields fields{};
    for (const isa::InstructionInfo& info : isa::instructions()) {
        const auto found = std::ranges::find(info.fields, name, [](const isa::Field* f) { return f->name; });
        if (found != info.fields.end()) fields[static_cast<std::size_t>(info.opcode)] = *found;
    }
    return fields;
}

std::optional<std::int64_t> value_of(const isa::Instruction& instruction, const Fields& fields) {
    const isa::Field* f = fields[static_cast<std::size_t>(instruction.opcode())];
    if (f == nullptr) return std::nullopt;
    return f->kind == isa::FieldKind::Signed ? instruction.get_signed(*f)
                                             : static_cast<std::int64_t>(instruction.get(*f));
}

// Adds every field of every instruction, by name.
void add_fields(std::vector<Measure>& all) {
    for (const isa::InstructionInfo& info : isa::instructions()) {
        for (const isa::Field* f : info.fields) {
            const std::string name(f->name);
            if (std::ranges::find(all, name, &Measure::name) != all.end()) continue;
            all.push_back(
                {name, {f->values.begin(), f->values.end()}, [fields = fields_of(name)](const Executed& e) {
                     return value_of(e.instruction, fields);
                 }});
        }
    }
}

std::optional<target::Location> location(const Executed& e, const Fields& addresses) {
    const auto address = value_of(e.instruction, addresses);
    if (!address) return std::nullopt;
    return target::locate(e.target, static_cast<std::uint32_t>(*address));
}

// Adds the places of operands: NAME_memory and NAME_partition.
void add_operands(std::vector<Measure>& all) {
    for (const std::string operand : {"dst", "a", "b"}) {
        const Fields addresses = fields_of(operand + "_addr");
        all.push_back({operand + "_memory",
                       {{0, "sbuf"}, {1, "psum"}},
                       [addresses](const Executed& e) -> std::optional<std::int64_t> {
                           const auto place = location(e, addresses);
                           if (!place) return std::nullopt;
                           return place->memory == target::Memory::Psum ? 1 : 0;
                       }});
        all.push_back(
            {operand + "_partition", {}, [addresses](const Executed& e) -> std::optional<std::int64_t> {
                 const auto place = location(e, addresses);
                 if (!place) return std::nullopt;
                 return place->partition;
             }});
    }
}

std::vector<isa::EnumValue> instruction_values() {
    std::vector<isa::EnumValue> values;
    for (const isa::InstructionInfo& info : isa::instructions())
        values.push_back({static_cast<std::uint8_t>(info.opcode), info.name});
    return values;
}

bool has_shape(const isa::Instruction& instruction) {
    static const Fields counts = fields_of("count0");
    return counts[static_cast<std::size_t>(instruction.opcode())] != nullptr;
}

std::optional<std::int64_t> elements(const Executed& e) {
    if (!has_shape(e.instruction)) return std::nullopt;
    std::int64_t product = 1;
    for (const isa::Field* count : isa::count_fields())
        product *= static_cast<std::int64_t>(e.instruction.get(*count));
    return product;
}

std::optional<std::int64_t> dimensions(const Executed& e) {
    if (!has_shape(e.instruction)) return std::nullopt;
    std::int64_t used = 1, dimension = 0;
    for (const isa::Field* count : isa::count_fields()) {
        ++dimension;
        if (e.instruction.get(*count) > 1) used = dimension;
    }
    return used;
}

std::optional<std::int64_t> unused_partitions(const Executed& e) {
    static const Fields partitions = fields_of("partitions");
    const auto used = value_of(e.instruction, partitions);
    if (!used) return std::nullopt;
    return e.target.partitions - *used;
}

std::optional<std::int64_t> rounds(const Executed& e) {
    static const Fields roundings = fields_of("rounding");
    const auto mode = value_of(e.instruction, roundings);
    if (!mode) return std::nullopt;
    if (static_cast<isa::Rounding>(*mode) == isa::Rounding::Core) return e.stochastic ? 1 : 0;
    return static_cast<isa::Rounding>(*mode) == isa::Rounding::Stochastic ? 1 : 0;
}

std::vector<Measure> make_measures() {
    std::vector<Measure> all;
    add_fields(all);
    add_operands(all);
    all.push_back({"instruction", instruction_values(),
                   [](const Executed& e) { return static_cast<std::int64_t>(e.instruction.opcode()); }});
    all.push_back({"engine",
                   {isa::engine_values().begin(), isa::engine_values().end()},
                   [](const Executed& e) { return static_cast<std::int64_t>(e.engine); }});
    all.push_back({"elements", {}, elements});
    all.push_back({"dimensions", {}, dimensions});
    all.push_back({"unused_partitions", {}, unused_partitions});
    all.push_back({"rounds", {{0, "nearest"}, {1, "stochastic"}}, rounds});
    add_gpsimd_measures(all);
    return all;
}

}  // namespace

const std::vector<Measure>& measures() {
    static const std::vector<Measure> all = make_measures();
    return all;
}

const Measure* find_measure(const std::string& name) {
    const auto found = std::ranges::find(measures(), name, &Measure::name);
    return found == measures().end() ? nullptr : &*found;
}

}  // namespace trnsim::coverage
