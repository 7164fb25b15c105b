// Built-in kernels with arguments to try them with, and one of them with inputs, ready for the verilated core
// and for the interpreter.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "compiler/kernels/rtl_bench.hpp"
#include "tensors.hpp"

namespace trnsim::test {

// Arguments are "name=choices": "1..60" is any number in between, "a|b" one after the other over the cases.
struct KernelRow {
    std::string kernel;
    std::string small;   // on small16
    unsigned cases;      // of them, times heavy_scale(); all choices have their turn in the first ones
    std::string full;    // on trn1
    std::string rounds;  // on small16 with stochastic rounding; empty: the kernel rounds nothing
};

std::ostream& operator<<(std::ostream& out, const KernelRow& row);

// Every kernel of the registry.
const std::vector<KernelRow>& kernel_rows();

using KernelArguments = std::map<std::string, std::string>;

// Case number `index` of a row's arguments.
KernelArguments choose(const std::string& text, std::uint64_t index, std::mt19937_64& random);

// A kernel with inputs, ready for both machines.
struct KernelCase {
    KernelCase(const std::string& kernel, const config::Config& on, const KernelArguments& arguments,
               std::mt19937_64& random);

    // Throws std::runtime_error when the run does not end as it should.
    Bytes on_rtl(const runtime::Rounding& rounding = {}, tlm::perturb::Seed perturb = {}) const;
    // `order`: functional::in_order.
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
