// Several kernels with collectives in the interpreter, one for each rank: works like Interpreter for each of
// them, and passes the data of collectives between them.
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
    // Takes a package for each rank; they must outlive this object. The options `races`, `executed` and
    // `began` are not used. Throws neff::Error for an unsound package.
    Ranks(std::vector<const neff::Package*> packages, CarryOut carry_out, const Options& options = {});

    // Like those of Interpreter.
    void set(std::size_t rank, const std::string& tensor, std::span<const std::uint8_t> bytes);
    const Bytes& get(std::size_t rank, const std::string& tensor) const;

    // Runs until all ranks are done. Call once. Throws Error like Interpreter::run(), with "rank 3: " before
    // the text.
    void run();

  private:
    using Tensors = std::vector<Bytes>;

    bool run_once(std::vector<std::unique_ptr<Histories>>& histories);

    std::vector<const neff::Package*> packages_;
    CarryOut carry_out_;
    Options options_;
    std::vector<Tensors> tensors_;          // by rank
    std::vector<std::vector<bool>> given_;  // by rank and tensor: set() has been called
};

}  // namespace trnsim::functional
