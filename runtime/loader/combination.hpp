// How a DMA engine combines elements, by the names that kernels and collectives have for it.
#pragma once

#include "arch/dma/elements.hpp"
#include "compiler/collectives/schedule.hpp"
#include "isa/isa_tables.hpp"

namespace trnsim::loader {

// Throw std::logic_error for what no DMA engine does.
dma::Operation operation_of(isa::AluOp op);
dma::Operation operation_of(collectives::Combine combine);

}  // namespace trnsim::loader
