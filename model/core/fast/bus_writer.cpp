#include "model/core/fast/bus_writer.hpp"

#include <bit>

namespace trnsim::tlm::core_fast {
namespace {

namespace field = isa::field;

constexpr std::uint8_t WordSize = 2;  // AxSIZE of four bytes

}  // namespace

std::uint32_t BusWriter::requests(const Instructions& asking) {
    std::uint32_t bits = 0;
    for (unsigned e = 0; e < EngineCount; ++e) bits |= std::uint32_t{asking[e] != nullptr} << e;
    return bits;
}

BusWrite BusWriter::write() const {
    const auto target = static_cast<std::uint64_t>(std::countr_zero(mask_));
    BusWrite write{static_cast<std::uint8_t>(engine_), WordSize, address_ + target * stride_, {}};
    write.data.fill(data_);
    return write;
}

void BusWriter::edge(const Instructions& asking, bool taken, bool response, bool error) {
    const bool ends = last();
    const std::uint32_t asks = busy_ ? 0 : requests(asking);
    if (taken) mask_ &= mask_ - 1;
    responses_ += (taken ? 1U : 0U) - (response ? 1U : 0U);
    if (asks != 0) {
        const std::uint32_t granted = arbiter_.grant(asks);
        arbiter_.advance(granted);
        engine_ = static_cast<unsigned>(std::countr_zero(granted));
        const InstructionBytes& bytes = *asking[engine_];
        const bool trigger = opcode_of(bytes) == isa::Opcode::DmaTrigger;
        address_ = get(bytes, field::Address);
        stride_ = trigger ? get32(bytes, field::EngineStride) : 0;
        mask_ = trigger ? get32(bytes, field::EngineMask) : 1;
        data_ = trigger ? get32(bytes, field::S2mCount) << 16 | get32(bytes, field::M2sCount)
                        : get32(bytes, field::Data);
        busy_ = true;
        failed_ = false;
    } else if (ends) {
        busy_ = false;
    }
    failed_ = failed_ || error;
}

}  // namespace trnsim::tlm::core_fast
