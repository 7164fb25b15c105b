#include "gpsimd_stream.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include "firmware/include/trnsim/mailbox.hpp"
#include "firmware/include/trnsim/memory_map.h"
#include "tests/common/riscv/cosimulation.hpp"

namespace trnsim::test {

std::vector<std::uint8_t> gpsimd_stream(std::mt19937_64& random, unsigned kind, std::uint32_t vlen) {
    static constexpr std::array<Mix, StreamKinds> Mixes{
        mixes::Integer,      mixes::FloatingPoint, mixes::VectorInteger, mixes::VectorFloatingPoint,
        mixes::VectorMemory, mixes::Segments,      mixes::Everything};
    constexpr std::size_t Fewest = 500, Most = 1500;  // instructions; the mailbox is behind 2,048
    const Program program =
        random_program(random, Mixes[kind], std::uniform_int_distribution(Fewest, Most)(random), vlen);
    std::vector<std::uint8_t> bytes(program.words.size() * sizeof(std::uint32_t));
    std::memcpy(bytes.data(), program.words.data(), bytes.size());
    const std::uint32_t magic = firmware::MailboxMagic;
    std::memcpy(&bytes[TRNSIM_MAILBOX_BASE - TRNSIM_TCM_BASE + offsetof(firmware::Mailbox, magic)], &magic,
                sizeof(magic));
    return bytes;
}

}  // namespace trnsim::test
