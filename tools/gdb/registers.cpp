#include "tools/gdb/registers.hpp"

#include <fmt/format.h>

#include <array>

#include "arch/firmware/disassembler.hpp"

namespace trnsim::gdb {
namespace {

constexpr unsigned FloatRegister = 33, CsrRegister = 65, Csrs = 4096, VectorRegister = CsrRegister + Csrs,
                   VectorRegisters = 32, WordBytes = 4, BitsPerByte = 8;

std::vector<std::uint8_t> bytes_of(std::uint32_t word) {
    std::vector<std::uint8_t> bytes(WordBytes);
    for (unsigned i = 0; i < WordBytes; ++i) bytes[i] = static_cast<std::uint8_t>(word >> BitsPerByte * i);
    return bytes;
}

std::uint32_t word_of(std::span<const std::uint8_t> bytes) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < WordBytes; ++i) word |= std::uint32_t{bytes[i]} << BitsPerByte * i;
    return word;
}

// Returns the number that GpsimdView uses; `number` is not that of pc.
unsigned scalar(unsigned number) {
    return number < PcRegister ? number : number - 1;
}

std::string registers(const char* prefix, unsigned count, unsigned first, unsigned bits, const char* type) {
    std::string text;
    for (unsigned i = 0; i < count; ++i)
        text += fmt::format("<reg name=\"{}{}\" bitsize=\"{}\" regnum=\"{}\" type=\"{}\"/>\n", prefix, i,
                            bits, first + i, type);
    return text;
}

}  // namespace

std::optional<std::vector<std::uint8_t>> read_register(const tlm::GpsimdDebugPort& port, unsigned core,
                                                       unsigned number) {
    const tlm::GpsimdView& view = port.view(core);
    if (number == PcRegister) return bytes_of(port.pc(core));
    if (number < CsrRegister) return bytes_of(view.scalar(scalar(number)));
    if (number < VectorRegister) {
        const auto value = view.csr(number - CsrRegister);
        return value ? std::optional(bytes_of(*value)) : std::nullopt;
    }
    if (number - VectorRegister >= VectorRegisters) return std::nullopt;
    const auto bytes = view.vector(number - VectorRegister);
    return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
}

bool write_register(tlm::GpsimdDebugPort& port, unsigned core, unsigned number,
                    std::span<const std::uint8_t> bytes) {
    if (number >= VectorRegister) return port.set_vector(core, number - VectorRegister, bytes);
    if (bytes.size() != WordBytes) return false;
    const std::uint32_t value = word_of(bytes);
    if (number == PcRegister) return port.pc(core) == value || port.set_pc(core, value);
    if (number < CsrRegister) {
        const unsigned index = scalar(number);
        return index == 0 ? value == 0 : port.set_scalar(core, index, value);
    }
    return port.set_csr(core, number - CsrRegister, value);
}

std::string target_description(const tlm::GpsimdDebugPort& port) {
    const tlm::GpsimdView& view = port.view(0);
    const auto vector_bytes = static_cast<unsigned>(view.vector(0).size());
    std::string csrs, floats;
    for (unsigned number = 0; number < Csrs; ++number) {
        if (!view.csr(number)) continue;
        const bool is_float = number >= 1 && number <= 3;  // fflags, frm, fcsr
        (is_float ? floats : csrs) +=
            fmt::format("<reg name=\"{}\" bitsize=\"32\" regnum=\"{}\" type=\"int\"/>\n",
                        firmware::csr_name(number), CsrRegister + number);
    }
    return fmt::format(
        R"(<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
<architecture>riscv:rv32</architecture>
<feature name="org.gnu.gdb.riscv.cpu">
{}<reg name="pc" bitsize="32" regnum="{}" type="code_ptr"/>
</feature>
<feature name="org.gnu.gdb.riscv.fpu">
{}{}</feature>
<feature name="org.gnu.gdb.riscv.csr">
{}</feature>
<feature name="org.gnu.gdb.riscv.vector">
<vector id="bytes" type="uint8" count="{}"/>
<vector id="words" type="uint32" count="{}"/>
<vector id="floats" type="ieee_single" count="{}"/>
<union id="vector_register"><field name="bytes" type="bytes"/><field name="words" type="words"/><field name="floats" type="floats"/></union>
{}</feature>
</target>
)",
        registers("x", PcRegister, 0, WordBytes * BitsPerByte, "int"), PcRegister,
        registers("f", PcRegister, FloatRegister, WordBytes * BitsPerByte, "ieee_single"), floats, csrs,
        vector_bytes, vector_bytes / WordBytes, vector_bytes / WordBytes,
        registers("v", VectorRegisters, VectorRegister, vector_bytes * BitsPerByte, "vector_register"));
}

}  // namespace trnsim::gdb
