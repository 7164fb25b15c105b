// The functions of a core library, by name. The program looks them up after it has read the label
// (core_label.hpp).
#pragma once

#include "model/core/core_model.hpp"

namespace trnsim::tlm {

using CoreParametersFunction = const char*();             // trnsim_core_parameters
using CoreCreateFunction = CoreModel*(unsigned threads);  // trnsim_core_create

}  // namespace trnsim::tlm
