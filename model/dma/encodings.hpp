// The registers and encodings of arch/dma under the names that the engines use.
#pragma once

#include "arch/dma/elements.hpp"
#include "arch/dma/indices.hpp"
#include "arch/dma/registers.hpp"
#include "arch/dma/transpose.hpp"

namespace trnsim::tlm::dma {

using namespace trnsim::dma;

}  // namespace trnsim::tlm::dma
