#include "tlm/core/fast/bus_writer.hpp"

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

void BusWriter::drive(AxiManagerOut& out) const {
    out.aw_valid = aw_valid_;
    out.aw_id = id_;
    out.aw_size = WordSize;
    out.aw_addr = write_address_;
    out.w_valid = w_valid_;
    out.w_data.fill(write_data_);
    out.b_ready = true;
}

bool BusWriter::active(const Instructions& asking, const AxiManagerIn& in) const {
    return (!busy_ && requests(asking) != 0) || loads(in) || last() || in.b_valid ||
           (aw_valid_ && in.aw_ready) || (w_valid_ && in.w_ready);
}

void BusWriter::edge(const Instructions& asking, const AxiManagerIn& in) {
    const bool load = loads(in), ends = last();
    const std::uint32_t asks = busy_ ? 0 : requests(asking);
    if (load) {
        const auto target = static_cast<std::uint64_t>(std::countr_zero(mask_));
        aw_valid_ = w_valid_ = true;
        id_ = static_cast<std::uint8_t>(engine_);
        write_address_ = address_ + target * stride_;
        write_data_ = data_;
        mask_ &= mask_ - 1;
    } else {
        if (in.aw_ready) aw_valid_ = false;
        if (in.w_ready) w_valid_ = false;
    }
    responses_ += (load ? 1U : 0U) - (in.b_valid ? 1U : 0U);
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
    if (in.b_valid && in.b_resp != 0) failed_ = true;
}

}  // namespace trnsim::tlm::core_fast
