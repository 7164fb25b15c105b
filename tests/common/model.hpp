// A verilated model of a test bench. Its coverage counts are kept when it is destroyed.
#pragma once

#include "model/core/rtl/verilated_coverage.hpp"

namespace trnsim::test {

template <class Verilated>
class Model final : public Verilated {
  public:
    ~Model() override { tlm::save_coverage(*this->contextp(), this->modelName()); }
};

}  // namespace trnsim::test
