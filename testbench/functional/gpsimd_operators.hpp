// Custom operators in the interpreter: an instruction-set simulator of each core runs the code of their
// images.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arch/firmware/image.hpp"
#include "isa/instruction.hpp"
#include "testbench/functional/storage.hpp"

namespace trnsim::rv32 {
class Hart;
}

namespace trnsim::functional {

class GpsimdOperators {
  public:
    GpsimdOperators(const target::Core& target, Storage& storage);
    ~GpsimdOperators();
    GpsimdOperators(const GpsimdOperators&) = delete;
    GpsimdOperators& operator=(const GpsimdOperators&) = delete;

    // Runs a core from `boot` until it waits for a command. Throws Error when it does not come to that.
    void start(std::uint32_t core, std::uint32_t boot, const firmware::Image& image, const Actor& actor);

    // An operation of the image that the core runs.
    struct Command {
        std::uint32_t request;  // number of the command
        std::uint32_t operation;
        std::uint32_t cores;  // number of cores that take part
    };
    // Throws Error for a trap, for a status that is not Ok, for an access to SBUF as Storage::note() does,
    // and for reading a byte that nothing has written.
    void command(std::uint32_t core, const Command& command, const firmware::Image& image,
                 const Actor& actor);

  private:
    rv32::Hart& hart(std::uint32_t core);
    // Runs the core on the memory that Storage holds for it, and writes the memory back afterwards.
    void run(std::uint32_t core, const firmware::Image& image, const Actor& actor);
    void note_slice(std::uint32_t core, const Actor& actor);

    const target::Core& target_;
    Storage& storage_;
    std::vector<std::unique_ptr<rv32::Hart>> harts_;  // by core; null before it is started
    std::vector<std::uint8_t> touched_;               // rv32::Slice::touched of the core that runs
};

}  // namespace trnsim::functional
