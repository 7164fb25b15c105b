// Random instructions for one engine's sequencer on its own part of the memories.
#pragma once

#include <random>
#include <vector>

#include "compiler/neff/package.hpp"
#include "testbench/random_programs/vector_instructions.hpp"

namespace trnsim::random_programs {

// In every partition, engine n has these bytes of SBUF at n times their size, and the first ones of PSUM bank
// n.
constexpr std::uint32_t OwnSbuf = 1024, OwnPsum = 1024;
Area own_area(const target::Core& target, isa::Engine engine, bool psum);

class SequenceWriter {
  public:
    // All references must outlive the writer.
    SequenceWriter(const target::Core& target, isa::Engine engine, std::vector<isa::Instruction>& program,
                   std::mt19937_64& random)
        : target_(target), engine_(engine), program_(program), random_(random) {}

    // Writes the instructions that come once before everything else.
    void begin();
    // Writes loops, branches, and instructions on registers, memory, the engine's semaphore and its data
    // path. Assumes nothing about instructions that are still in the data path at its beginning, and promises
    // nothing about them at its end.
    void block(unsigned items);
    // Stores every data register.
    void store_registers();

  private:
    unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
    unsigned data();
    void add(const isa::Instruction& instruction) { program_.push_back(instruction); }
    void block(unsigned depth, unsigned items);
    void item(unsigned depth);
    void loop(unsigned depth);
    void skip(unsigned depth);
    void handshake();
    std::uint32_t word(unsigned most);
    bool has_data_path() const;
    isa::Instruction data_path();
    isa::Instruction tensor(Tensors& t);
    isa::Instruction matmul(Tensors t, std::uint32_t offset, bool accumulate);
    void address_register();

    const target::Core& target_;
    isa::Engine engine_;
    std::vector<isa::Instruction>& program_;
    std::mt19937_64& random_;
};

}  // namespace trnsim::random_programs
