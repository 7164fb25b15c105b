// A core without time: runs a compiled kernel instruction by instruction and gives the bits that the hardware
// must give.
//
// The engines take turns, and so do the DMA engines, each on its own; its program and the semaphores alone
// decide what any of them may do next. So that a result does not depend on lucky turns, every access is
// checked against those of others: two accesses that no semaphore orders, one of them a write, are an error,
// and so is reading a byte that nothing has written. An adversary chooses among the orders the hardware
// allows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "testbench/functional/interpretation.hpp"

namespace trnsim::functional {

// Returns one of many orders to try: 0 is Earliest, 1 Latest, every other number a random one of its own.
Options in_order(std::uint64_t order, RoundingControl rounding = {});

// Returns the index in Package::tensors. Throws Error for an unknown name.
std::size_t tensor_index(const neff::Package& package, const std::string& name);

class Interpreter {
  public:
    // Throws neff::Error for an unsound package. The package must outlive the machine.
    explicit Interpreter(const neff::Package& package, Options options = {});

    // Contents of a tensor of the package, in C order and storage bytes. An output that has been set need not
    // be written. They throw Error for an unknown name
    // or another size.
    void set(const std::string& tensor, std::span<const std::uint8_t> bytes);
    const std::vector<std::uint8_t>& get(const std::string& tensor) const;

    // Runs until every engine has halted and every DMA engine is idle. Repeats the run while semaphores told
    // more than they do in every order (semaphore_history.hpp). Call once. Throws Error for a deadlock (with
    // what each engine waits for), for engines that run only register instructions in an endless loop, for
    // more work than Options::limits, for a race, for a read of an unwritten byte, for an output element that
    // nothing has written, for an instruction that a core refuses, and for one that is not modelled. Throws
    // Interrupted.
    void run();

    // Returns SBUF and PSUM as run() has left them.
    const CoreMemory& core() const { return core_.value(); }

  private:
    const neff::Package& package_;
    Options options_;
    std::vector<std::vector<std::uint8_t>> tensors_;
    std::vector<bool> given_;  // by tensor: set() has been called
    std::optional<CoreMemory> core_;
};

}  // namespace trnsim::functional
