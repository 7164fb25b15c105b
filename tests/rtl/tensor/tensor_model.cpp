#include "tensor_model.hpp"

#include <cmath>
#include <limits>

#include "arch/numerics/arithmetic.hpp"

namespace trnsim::test {
namespace {

namespace field = isa::field;

constexpr std::uint32_t PsumStride = isa::window::PsumPartitionStride;

std::uint32_t sbuf_stride(unsigned lanes) {
    return lanes > 128 ? 1u << 17 : 1u << 18;
}

// Returns the part of an operand in one pass; infinities and NaN exist only in the last one.
float part_of(std::uint32_t bits, isa::Dtype dtype, bool high, bool last_pass) {
    const float value = numerics::to_fp32(bits, dtype);
    if (!std::isfinite(value)) return last_pass ? value : 0.0f;
    if (dtype != isa::Dtype::Fp32) return value;
    const numerics::SplitFp32 split = numerics::split_fp32(value);
    return high ? split.high : split.low;
}

bool has_low_parts(const isa::Instruction& i) {
    return static_cast<isa::Dtype>(i.get(field::ADtype)) == isa::Dtype::Fp32 && i.get(field::Onezero) == 0;
}

}  // namespace

std::vector<std::int64_t> offsets(const isa::Instruction& i, bool dst) {
    using namespace isa::field;
    const std::array<std::int64_t, 4> step = dst ? std::array{i.get_signed(DstStep0), i.get_signed(DstStep1),
                                                              i.get_signed(DstStep2), i.get_signed(DstStep3)}
                                                 : std::array{i.get_signed(AStep0), i.get_signed(AStep1),
                                                              i.get_signed(AStep2), i.get_signed(AStep3)};
    std::vector<std::int64_t> result;
    for (std::uint64_t d = 0; d < i.get(Count3); ++d) {
        for (std::uint64_t c = 0; c < i.get(Count2); ++c) {
            for (std::uint64_t b = 0; b < i.get(Count1); ++b) {
                for (std::uint64_t a = 0; a < i.get(Count0); ++a) {
                    result.push_back(std::int64_t(a) * step[0] + std::int64_t(b) * step[1] +
                                     std::int64_t(c) * step[2] + std::int64_t(d) * step[3]);
                }
            }
        }
    }
    return result;
}

TensorModel::TensorModel(unsigned rows, unsigned columns, unsigned lanes, unsigned sbuf_bytes,
                         unsigned psum_bytes)
    : sbuf(lanes, std::vector<std::uint8_t>(sbuf_bytes)),
      psum(lanes, std::vector<float>(psum_bytes / 4)),
      rows_(rows),
      columns_(columns),
      lanes_(lanes) {
    for (auto& group : weights_) group.assign(rows, {{}, false, std::vector<std::uint32_t>(columns)});
}

std::uint32_t TensorModel::element(unsigned partition, std::int64_t byte, isa::Dtype dtype) const {
    std::uint32_t bits = 0;
    for (int i = 0; i < numerics::storage_bytes(dtype); ++i)
        bits |= std::uint32_t{sbuf[partition][byte + i]} << (8 * i);
    return bits;
}

void TensorModel::execute(const isa::Instruction& instruction) {
    if (instruction.opcode() == isa::Opcode::LoadStationary)
        load(instruction);
    else
        multiply(instruction);
}

void TensorModel::load(const isa::Instruction& i) {
    const auto address = static_cast<std::uint32_t>(i.get(field::AAddr));
    const unsigned first = address / sbuf_stride(lanes_);
    const std::uint32_t start = address % sbuf_stride(lanes_);
    const auto dtype = static_cast<isa::Dtype>(i.get(field::ADtype));
    const auto places = offsets(i, false);
    auto& weights = weights_[i.get(field::ColumnGroup)];
    for (unsigned r = first; r < first + i.get(field::Partitions); ++r) {
        weights[r].dtype = dtype;
        weights[r].low = has_low_parts(i);
        for (std::size_t c = 0; c < places.size(); ++c) {
            weights[r].bits[c] = element(r, start + places[c] * numerics::storage_bytes(dtype), dtype);
        }
    }
}

void TensorModel::multiply(const isa::Instruction& i) {
    const auto address = static_cast<std::uint32_t>(i.get(field::AAddr));
    const unsigned first = address / sbuf_stride(lanes_);
    const std::uint32_t start = address % sbuf_stride(lanes_);
    const std::uint32_t dst = static_cast<std::uint32_t>(i.get(field::DstAddr)) - isa::window::PsumBase;
    const auto dtype = static_cast<isa::Dtype>(i.get(field::ADtype));
    const auto from = offsets(i, false), to = offsets(i, true);
    const auto& weights = weights_[i.get(field::ColumnGroup)];
    bool overwrite = i.get(field::Accumulate) == 0;
    for (int pass = 0; pass < 4; ++pass) {
        const bool stationary_high = pass >= 2, moving_high = pass % 2 == 1, last = pass == 3;
        if ((!stationary_high && !weights[first].low) || (!moving_high && !has_low_parts(i))) continue;
        for (std::size_t n = 0; n < from.size(); ++n) {
            for (unsigned m = 0; m < i.get(field::Columns); ++m) {
                float chain = 0.0f;
                for (unsigned r = first; r < first + i.get(field::Partitions); ++r) {
                    const std::uint32_t moving =
                        element(r, start + from[n] * numerics::storage_bytes(dtype), dtype);
                    const std::uint32_t stationary = weights[r].bits[m];
                    chain = numerics::fma_step(part_of(stationary, weights[r].dtype, stationary_high, last),
                                               part_of(moving, dtype, moving_high, last), chain);
                }
                float& word = psum[dst / PsumStride + m][dst % PsumStride / 4 + to[n]];
                word = overwrite ? chain : numerics::add(word, chain);
            }
        }
        overwrite = false;
    }
}

}  // namespace trnsim::test
