// Several kernels with collectives in the interpreter, one for each rank: the same as Interpreter for each, and what
// they tell each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "testbench/functional/interpreter.hpp"
#include "testbench/functional/rendezvous.hpp"

namespace trnsim::functional {

class Ranks {
  public:
    // A package for each rank; they must outlive this object. Of the options `races`, `executed` and `began` are not
    // used. Throws neff::Error for an unsound package.
    Ranks(std::vector<const neff::Package*> packages, CarryOut carry_out, const Options& options = {});

    // As Interpreter has them.
    void set(std::size_t rank, const std::string& tensor, std::span<const std::uint8_t> bytes);
    const Bytes& get(std::size_t rank, const std::string& tensor) const;

    // Runs until all ranks are done. Call once. Throws Error as Interpreter::run(), behind "rank 3: ".
    void run();

  private:
    using Tensors = std::vector<Bytes>;

    bool run_once(std::vector<std::unique_ptr<Histories>>& histories);

    std::vector<const neff::Package*> packages_;
    CarryOut carry_out_;
    Options options_;
    std::vector<Tensors> tensors_;  // by rank
};

}  // namespace trnsim::functional
