// Rows of the decoder of scalar instructions.
#pragma once

#include <span>

#include "model/rv32/state.hpp"

namespace trnsim::rv32 {

enum class Format : std::uint8_t {
    R,  // also for instructions without an immediate
    I,
    S,
    B,
    U,
    J,
    Csr,  // rs1 or its number as the immediate
};

// An instruction is in this row if its bits in `mask` are those of `match`.
struct Row {
    std::uint32_t mask;
    std::uint32_t match;
    Handler handler;
    Format format = Format::R;
    bool keeps_rd = false;  // rd 0 is a register like any other: of floats or vectors
};

constexpr std::uint32_t Opcode = 0x7f, Funct3 = 0x707f, Funct7 = 0xfe00707f, Unary = 0xfff0007f,
                        UnaryFunct3 = 0xfff0707f, Rounded = 0xfe00007f, Whole = 0xffffffff;

std::span<const Row> integer_rows();
std::span<const Row> memory_rows();
std::span<const Row> system_rows();
std::span<const Row> float_rows();
std::span<const Row> vector_handler_rows();

}  // namespace trnsim::rv32
