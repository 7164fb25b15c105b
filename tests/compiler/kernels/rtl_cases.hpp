// Built-in kernels with arguments for tests, and a kernel with inputs for the verilated core and for the
// interpreter.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernels/rtl_bench.hpp"
#include "tensors.hpp"

namespace trnsim::test {

// Arguments are "name=choices": "1..60" is any number in this range, "a|b" takes each choice in turn over the
// cases.
struct KernelRow {
    std::string kernel;
    std::string small;   // arguments on small16
    unsigned cases;      // number of cases, times heavy_scale(); the first ones cover all choices
    std::string full;    // arguments on trn1
    std::string rounds;  // arguments on small16 with stochastic rounding; empty if the kernel does not round
};

std::ostream& operator<<(std::ostream& out, const KernelRow& row);

// Returns a row for every kernel of the registry.
const std::vector<KernelRow>& kernel_rows();

using KernelArguments = std::map<std::string, std::string>;

// Returns the arguments of case `index` of a row.
KernelArguments choose(const std::string& text, std::uint64_t index, std::mt19937_64& random);

// A kernel with inputs, which runs on both machines.
struct KernelCase {
    KernelCase(const std::string& kernel, const config::Config& on, const KernelArguments& arguments,
               std::mt19937_64& random);

    // Throws std::runtime_error if the run does not end correctly.
    Bytes on_rtl(const runtime::Rounding& rounding = {}, tlm::perturb::Seed perturb = {}) const;
    // `order` is that of functional::in_order.
    Bytes interpreted(const runtime::Rounding& rounding = {}, std::uint64_t order = 0) const;
    runtime::Arrays arrays() const;
    std::string name() const;  // kernel, arguments, configuration

    config::Config config;
    neff::Package package;
    std::map<std::string, Bytes> contents;

  private:
    Bits values(const neff::Tensor& tensor, std::mt19937_64& random) const;
};

}  // namespace trnsim::test
