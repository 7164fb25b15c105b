#include "runtime/loader/combination.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace trnsim::loader {
namespace {

struct Row {
    isa::AluOp op;
    collectives::Combine combine;
    dma::Operation operation;
};

constexpr std::array Rows{
    Row{isa::AluOp::Add, collectives::Combine::Add, dma::Operation::Add},
    Row{isa::AluOp::Multiply, collectives::Combine::Multiply, dma::Operation::Multiply},
    Row{isa::AluOp::Min, collectives::Combine::Min, dma::Operation::Min},
    Row{isa::AluOp::Max, collectives::Combine::Max, dma::Operation::Max},
};

template <typename Name>
dma::Operation find(Name name, Name Row::*member) {
    const auto row = std::ranges::find(Rows, name, member);
    if (row == Rows.end())
        throw std::logic_error("DMA engines add, multiply and take the minimum or maximum");
    return row->operation;
}

}  // namespace

dma::Operation operation_of(isa::AluOp op) {
    return find(op, &Row::op);
}

dma::Operation operation_of(collectives::Combine combine) {
    return find(combine, &Row::combine);
}

}  // namespace trnsim::loader
