#pragma once

#include "runtime/loader/error.hpp"

namespace trnsim::runtime {

using loader::Error;

}  // namespace trnsim::runtime
