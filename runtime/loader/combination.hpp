// Operations with which a DMA engine combines elements, from their names in kernels and collectives.
#pragma once

#include "arch/dma/elements.hpp"
#include "compiler/collectives/schedule.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::loader {

// Throw std::logic_error for an operation that no DMA engine has.
dma::Operation operation_of(isa::AluOp op);
dma::Operation operation_of(collectives::Combine combine);

}  // namespace trnsim::loader
