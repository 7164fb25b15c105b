// The instructions decoded for their timing (arch/cost), with their names in the fast core.
#pragma once

#include "arch/cost/element_operation.hpp"
#include "arch/cost/figures.hpp"
#include "arch/cost/pattern.hpp"
#include "arch/cost/tensor_command.hpp"
#include "model/core/fast/fields.hpp"

namespace trnsim::tlm::core_fast {

using cost::Counts;
using cost::ElementOperand;
using cost::ElementOperation;
using cost::elements_of;
using cost::Figure;
using cost::figure;
using cost::Geometry;
using cost::Steps;
using cost::TensorCommand;
using cost::TensorStreams;

}  // namespace trnsim::tlm::core_fast
