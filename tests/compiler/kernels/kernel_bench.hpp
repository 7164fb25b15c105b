// Runs a kernel in the interpreter, in an order that a seed chooses, with its tensors as numbers.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "arch/numerics/format.hpp"
#include "compiler/kernels/registry.hpp"
#include "compiler/kernels/targets.hpp"
#include "compiler/kernels/tensors.hpp"
#include "testbench/functional/interpreter.hpp"

namespace trnsim::test {

using Numbers = std::vector<double>;

class KernelBench {
  public:
    KernelBench(const std::string& kernel, const std::map<std::string, std::string>& arguments,
                const target::Core& target, std::uint64_t seed, functional::RoundingControl rounding = {})
        : package_(kernels::build_kernel(kernel, arguments, target)),
          machine_(package_, functional::in_order(seed % 8, rounding)) {}

    // Rounds the values to the tensor's type, sets the tensor, and returns the rounded values.
    Numbers set(const std::string& name, const Numbers& values) {
        const isa::Dtype dtype = dtype_of(name);
        std::vector<std::uint32_t> bits;
        for (const double value : values)
            bits.push_back(numerics::from_fp32(static_cast<float>(value), dtype));
        machine_.set(name, pack(bits, dtype));
        Numbers held;
        for (const std::uint32_t element : bits) held.push_back(numerics::to_fp32(element, dtype));
        return held;
    }
    void run() { machine_.run(); }
    Numbers get(const std::string& name) const {
        const isa::Dtype dtype = dtype_of(name);
        const auto bytes = static_cast<std::size_t>(numerics::storage_bytes(dtype));
        const auto& packed = machine_.get(name);
        Numbers values;
        for (std::size_t i = 0; i < packed.size(); i += bytes) {
            std::uint32_t element = 0;
            std::memcpy(&element, &packed[i], bytes);
            values.push_back(numerics::to_fp32(element, dtype));
        }
        return values;
    }
    const neff::Package& package() const { return package_; }

  private:
    isa::Dtype dtype_of(const std::string& name) const {
        for (const neff::Tensor& tensor : package_.tensors) {
            if (tensor.name == name) return tensor.dtype;
        }
        throw std::runtime_error("no tensor " + name);
    }

    neff::Package package_;
    functional::Interpreter machine_;
};

// Returns half a unit in the last place of 1.0: the relative error of one rounding to the type.
inline double unit_roundoff(isa::Dtype dtype) {
    return std::ldexp(1.0, -numerics::float_format(dtype).fraction_bits - 1);
}

inline Numbers random_numbers(std::mt19937_64& generator, std::size_t count, double mean = 0,
                              double deviation = 1) {
    std::normal_distribution<double> normal(mean, deviation);
    Numbers values(count);
    for (double& value : values) value = normal(generator);
    return values;
}

}  // namespace trnsim::test
