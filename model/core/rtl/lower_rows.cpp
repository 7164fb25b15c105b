#include "model/core/rtl/lower_rows.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "Vneuron_core__Dpi.h"
#include "Vpe_lower_top___024root.h"
#include "cfg_parameters.hpp"

namespace trnsim::tlm {
namespace {

// The words of a row, in registers and on ports.
constexpr std::size_t Words = cfg::Lanes;

// Returns row `index` of a packed array of rows.
template <typename Rows>
std::uint32_t* row_of(Rows& rows, std::size_t index) {
    return &rows[index * Words];
}

template <typename Wide>
constexpr std::size_t words_of(const Wide& wide) {
    return sizeof wide / sizeof(std::uint32_t);
}

}  // namespace

thread_local LowerRows* LowerRows::used = nullptr;

LowerRows::LowerRows(VerilatedContext& context, const char* scope, unsigned threads)
    : context_(context), top_(&context, scope), thread_(threads, [this] { clock(); }) {}

void LowerRows::trace(VerilatedFstC& wave, int levels) {
    top_.trace(&wave, levels);
}

void LowerRows::final() {
    top_.final();
}

void LowerRows::reset() {
    finish();
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    top_.eval();
}

std::uint32_t LowerRows::results() {
    finish();
    return top_.rootp->pe_lower_top__DOT__results;
}

void LowerRows::result(unsigned stream, std::uint64_t& element, std::uint32_t* data) const {
    element = top_.rootp->pe_lower_top__DOT__result[stream];
    const auto& row = top_.rootp->pe_lower_top__DOT__data[stream];
    std::copy_n(&row[0], words_of(row), data);
}

void LowerRows::enter(unsigned stream, std::uint64_t element, const std::uint32_t* moving) {
    top_.rootp->pe_lower_top__DOT__element[stream] = element;
    entered_ |= 1u << stream;
    std::copy_n(moving, Words, row_of(top_.rootp->pe_lower_top__DOT__moving, stream));
}

void LowerRows::part(unsigned index, const std::uint32_t* part) {
    std::copy_n(part, Words, row_of(top_.rootp->pe_lower_top__DOT__load_part, index));
}

void LowerRows::step(unsigned column_group, std::uint64_t step) {
    top_.rootp->pe_lower_top__DOT__step[column_group] = step;
}

void LowerRows::sum(const std::uint32_t* sum) {
    auto& row = top_.rootp->pe_lower_top__DOT__sum;
    std::copy_n(sum, words_of(row), &row[0]);
}

void LowerRows::edge(unsigned slot, std::uint64_t load, std::uint64_t load_step) {
    top_.rootp->pe_lower_top__DOT__slot = slot;
    top_.rootp->pe_lower_top__DOT__load = load;
    top_.rootp->pe_lower_top__DOT__load_step = load_step;
    for (std::uint32_t left = std::exchange(last_entered_, entered_) & ~entered_; left != 0; left &= left - 1)
        top_.rootp->pe_lower_top__DOT__element[std::countr_zero(left)] = 0;
    entered_ = 0;
    thread_.start();
}

// Returns the words of a row. An array of four blocks has three here, other arrays six.
std::uint32_t* LowerRows::weights(unsigned block, unsigned index) {
#define WEIGHTS(b) \
    root.pe_lower_top__DOT__u_lower__DOT__u_rows__DOT__g_block__BRA__##b##__KET____DOT__u_block__DOT__weight_q
    return [block, index](auto& root) -> std::uint32_t* {
        switch (block) {
            case 0:
                return &WEIGHTS(0)[index][0];
            case 1:
                return &WEIGHTS(1)[index][0];
            case 2:
                return &WEIGHTS(2)[index][0];
            default:
                if constexpr (requires { WEIGHTS(5); }) {
                    if (block == 3) return &WEIGHTS(3)[index][0];
                    if (block == 4) return &WEIGHTS(4)[index][0];
                    if (block == 5) return &WEIGHTS(5)[index][0];
                }
                throw std::out_of_range("a block of the array");
        }
    }(*top_.rootp);
#undef WEIGHTS
}

void LowerRows::clock() {
    static thread_local const VerilatedContext* context = nullptr;
    if (std::exchange(context, &context_) != &context_) Verilated::threadContextp(&context_);
    top_.rst_ni = 1;
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
}

}  // namespace trnsim::tlm

using trnsim::tlm::LowerRows;

extern "C" {

void trnsim_lower_reset() {
    LowerRows::in_use().reset();
}
unsigned trnsim_lower_results() {
    return LowerRows::in_use().results();
}
void trnsim_lower_result(unsigned stream, unsigned long long* element, svBitVecVal* data) {
    std::uint64_t bits = 0;
    LowerRows::in_use().result(stream, bits, data);
    *element = bits;
}
void trnsim_lower_element(unsigned stream, unsigned long long element, const svBitVecVal* moving) {
    LowerRows::in_use().enter(stream, element, moving);
}
void trnsim_lower_part(unsigned index, const svBitVecVal* part) {
    LowerRows::in_use().part(index, part);
}
void trnsim_lower_step(unsigned column_group, unsigned long long step) {
    LowerRows::in_use().step(column_group, step);
}
void trnsim_lower_sum(const svBitVecVal* sum) {
    LowerRows::in_use().sum(sum);
}
void trnsim_lower_edge(unsigned slot, unsigned long long load, unsigned long long load_step) {
    LowerRows::in_use().edge(slot, load, load_step);
}
}
