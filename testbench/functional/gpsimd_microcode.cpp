#include "testbench/functional/gpsimd_microcode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

#include "arch/firmware/status.hpp"
#include "firmware/include/trnsim/slice.hpp"
#include "testbench/functional/error.hpp"
#include "testbench/functional/gpsimd_alu.hpp"

namespace trnsim::functional {

using firmware::Affine;
using firmware::AluOp;
using firmware::Dtype;
using firmware::Partitions;
using firmware::Shape;
using firmware::Status;
using firmware::Tensor;

namespace {

std::uint32_t bytes_of(Dtype dtype) {
    const std::uint32_t size = firmware::size_log2(dtype);
    if (size == firmware::NoSize)
        throw Error(fmt::format("GpSimd has no type {}", static_cast<unsigned>(dtype)));
    return 1U << size;
}

bool is_float(Dtype dtype) {
    return dtype == Dtype::Fp32 || dtype == Dtype::Bf16;
}

// An element of a shape.
struct Element {
    std::uint32_t partition = 0;  // index in the NeuronCore
    std::uint32_t row = 0;        // index in the shape
    std::uint32_t index[4] = {};

    std::uint32_t byte(const Tensor& tensor) const {
        std::int64_t element = 0;
        for (unsigned axis = 0; axis < 4; ++axis) element += std::int64_t{index[axis]} * tensor.step[axis];
        return static_cast<std::uint32_t>(tensor.address + element * bytes_of(tensor.dtype));
    }
    std::uint32_t affine(const Affine& affine) const {
        std::uint32_t value =
            static_cast<std::uint32_t>(affine.base) + static_cast<std::uint32_t>(affine.partition_step) * row;
        for (unsigned axis = 0; axis < 4; ++axis)
            value += static_cast<std::uint32_t>(affine.step[axis]) * index[axis];
        return value;
    }
};

Tensor row_of(std::uint32_t address, Dtype dtype) {
    return {address, dtype, {1, 0, 0, 0}};
}

// Rounds to the nearest bf16, ties to even; NaN keeps its upper bits.
std::uint32_t to_bf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t high = bits >> 16, low = bits & 0xffff;
    if (std::isnan(value)) return high | 0x40;
    return low > 0x8000 || (low == 0x8000 && (high & 1) != 0) ? high + 1 : high;
}

// Rounds to the nearest integer, ties to even, and saturates; NaN gives 0.
std::uint32_t to_integer(Dtype dtype, float value) {
    const unsigned bits = 8 * bytes_of(dtype);
    const bool is_signed = dtype == Dtype::I8 || dtype == Dtype::I16 || dtype == Dtype::I32;
    const double least = is_signed ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0.0;
    const double most = std::ldexp(1.0, static_cast<int>(bits) - (is_signed ? 1 : 0)) - 1;
    if (std::isnan(value)) return 0;
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(std::clamp(std::nearbyint(static_cast<double>(value)), least, most)));
}

// Maps bits to integers in the order of the elements; NaN is at the end that its sign says.
std::int64_t order_of(Dtype dtype, std::uint32_t bits) {
    if (dtype == Dtype::U32) return bits;
    const auto value = static_cast<std::int32_t>(bits);
    if (dtype == Dtype::I32 || value >= 0) return value;
    return -static_cast<std::int64_t>(bits & 0x7fffffff) - 1;
}

class Core {
  public:
    Core(std::span<const std::uint32_t> words, std::uint32_t core, GpsimdMemory& memory)
        : words_(words), core_(core), memory_(memory) {}

    void memset() {
        const auto args = arguments<firmware::MemsetArguments>();
        for_each(args.shape, [&](const Element& e) {
            if (is_float(args.dst.dtype))
                store_float(args.dst, e, std::bit_cast<float>(args.value));
            else
                store_bits(args.dst, e, args.value);
        });
    }

    void tensor_copy() {
        const auto args = arguments<firmware::TensorCopyArguments>();
        for_each(args.shape, [&](const Element& e) {
            if (args.dst.dtype == args.a.dtype)
                store_bits(args.dst, e, bits(args.a, e));
            else if (is_float(args.a.dtype))
                store_float(args.dst, e, number(args.a, e));
            else if (is_float(args.dst.dtype))
                store_float(args.dst, e, static_cast<float>(integer(args.a, e)));
            else
                store_bits(args.dst, e, static_cast<std::uint32_t>(integer(args.a, e)));
        });
    }

    void tensor_tensor() {
        const auto args = arguments<firmware::TensorTensorArguments>();
        const bool floats = is_float(args.dst.dtype) || is_float(args.a.dtype) || is_float(args.b.dtype);
        const bool is_unsigned = args.a.dtype == Dtype::U32 || args.b.dtype == Dtype::U32;
        for_each(args.shape, [&](const Element& e) {
            if (floats)
                store_float(args.dst, e, float_alu(args.op, number(args.a, e), number(args.b, e)));
            else
                store_bits(args.dst, e,
                           integer_alu(args.op, operand(args.op, args.a, e),
                                       static_cast<std::uint32_t>(integer(args.b, e)), is_unsigned));
        });
    }

    void tensor_scalar() {
        using Arguments = firmware::TensorScalarArguments;
        const auto args = arguments<Arguments>();
        const bool floats = is_float(args.dst.dtype) || is_float(args.a.dtype);
        const bool reverse0 = (args.flags & Arguments::Reverse0) != 0;
        const bool reverse1 = (args.flags & Arguments::Reverse1) != 0;
        const bool is_unsigned = args.a.dtype == Dtype::U32;
        for_each(args.shape, [&](const Element& e) {
            const auto immediate = [&](std::uint32_t vector, std::uint32_t imm) {
                return (args.flags & vector) != 0 ? memory_.load(e.partition, imm, 4) : imm;
            };
            const std::uint32_t x = immediate(Arguments::Vector0, args.imm0),
                                y = immediate(Arguments::Vector1, args.imm1);
            if (floats) {
                const auto step = [](AluOp op, float v, std::uint32_t imm, bool reverse) {
                    const auto other = std::bit_cast<float>(imm);
                    return reverse ? float_alu(op, other, v) : float_alu(op, v, other);
                };
                store_float(args.dst, e,
                            step(args.op1, step(args.op0, number(args.a, e), x, reverse0), y, reverse1));
                return;
            }
            const auto step = [&](AluOp op, std::uint32_t v, std::uint32_t imm, bool reverse) {
                return reverse ? integer_alu(op, imm, v, is_unsigned) : integer_alu(op, v, imm, is_unsigned);
            };
            const std::uint32_t first = operand(reverse0 ? AluOp::Bypass : args.op0, args.a, e);
            store_bits(args.dst, e, step(args.op1, step(args.op0, first, x, reverse0), y, reverse1));
        });
    }

    void iota() {
        const auto args = arguments<firmware::IotaArguments>();
        for_each(args.shape, [&](const Element& e) {
            const auto value = static_cast<std::int32_t>(e.affine(args.affine));
            if (is_float(args.dst.dtype))
                store_float(args.dst, e, static_cast<float>(value));
            else
                store_bits(args.dst, e, static_cast<std::uint32_t>(value));
        });
    }

    void affine_select() {
        const auto args = arguments<firmware::AffineSelectArguments>();
        if (args.compare < AluOp::IsEqual || args.compare > AluOp::LessEqual)
            refuse_operation(args.compare, "selections");
        for_each(args.shape, [&](const Element& e) {
            const bool keep = integer_alu(args.compare, e.affine(args.affine), 0, false) != 0;
            if (is_float(args.dst.dtype))
                store_float(args.dst, e, keep ? number(args.a, e) : std::bit_cast<float>(args.otherwise));
            else
                store_bits(args.dst, e,
                           keep ? static_cast<std::uint32_t>(integer(args.a, e)) : args.otherwise);
        });
    }

    void local_gather() {
        const auto args = arguments<firmware::LocalGatherArguments>();
        const std::uint32_t group = args.elements * bytes_of(args.dtype), first = core_ * Partitions;
        if (first < args.partition || first >= args.partition + args.partitions) return;
        std::vector<std::uint32_t> indices;
        for (std::uint32_t i = 0; i < args.indices; ++i) {
            indices.push_back(memory_.load(first + i % Partitions, args.index + 2 * (i / Partitions), 2));
            if (indices.back() >= args.groups)
                throw Refused(Status::BadIndex, fmt::format("index {} is {}, there are {} groups", i,
                                                            indices.back(), args.groups));
        }
        for (std::uint32_t i = 0; i < args.indices; ++i) {
            for (std::uint32_t p = 0; p < Partitions; ++p) {
                for (std::uint32_t b = 0; b < group; ++b) {
                    const std::uint32_t byte = memory_.load(first + p, args.a + indices[i] * group + b, 1);
                    memory_.store(first + p, args.dst + i * group + b, 1, byte);
                }
            }
        }
    }

    void partition_reduce() {
        const auto args = arguments<firmware::PartitionReduceArguments>();
        const bool floats = is_float(args.a.dtype), adds = args.op == AluOp::Add;
        const bool is_unsigned = args.a.dtype == Dtype::U32;
        Shape one = args.shape;
        one.partition = core_ * Partitions;
        one.partitions = 1;
        for_each(one, [&](Element e) {
            std::optional<float> sum;
            std::optional<std::uint32_t> result;
            for (std::uint32_t p = one.partition; p < one.partition + Partitions; ++p) {
                if (p < args.shape.partition || p >= args.shape.partition + args.shape.partitions) continue;
                e.partition = p;
                if (floats) {
                    const float x = number(args.a, e);
                    sum = float_alu(args.op, sum.value_or(adds ? -0.0F : x), x);
                } else {
                    const auto x = static_cast<std::uint32_t>(integer(args.a, e));
                    result = result ? integer_alu(args.op, *result, x, is_unsigned) : x;
                }
            }
            if (!sum && !result) return;
            e.partition = one.partition;
            if (sum && args.divisor != 0) sum = canonical(*sum / static_cast<float>(args.divisor));
            sum ? store_float(args.dst, e, *sum) : store_bits(args.dst, e, *result);
        });
    }

    void partition_broadcast() {
        const auto args = arguments<firmware::PartitionBroadcastArguments>();
        for_each(args.shape, [&](const Element& e) {
            Element source = e;
            source.partition = core_ * Partitions + args.source;
            store_bits(args.dst, e, bits(args.a, source));
        });
    }

    // Follows the public documentation: each element copies from its neighbour, forwards and backwards.
    void sequence_bounds() {
        const auto args = arguments<firmware::SequenceBoundsArguments>();
        if (args.partition / Partitions != core_) return;
        const auto count = static_cast<std::int32_t>(args.count);
        const auto at = [&](std::int32_t k) {
            return Element{args.partition, 0, {static_cast<std::uint32_t>(k), 0, 0, 0}};
        };
        std::vector<float> ids;
        ids.reserve(args.count);
        for (std::int32_t k = 0; k < count; ++k) ids.push_back(number(args.a, at(k)));
        const auto joins = [&](std::int32_t k) { return ids[k - 1] == ids[k]; };
        std::vector<std::int32_t> first(args.count), end(args.count);
        for (std::int32_t k = 0; k < count; ++k)
            first[k] = ids[k] == 0 ? count : k > 0 && joins(k) ? first[k - 1] : k;
        for (std::int32_t k = count - 1; k >= 0; --k)
            end[k] = ids[k] == 0 ? -1 : k + 1 < count && joins(k + 1) ? end[k + 1] : k + 1;
        const auto put = [&](const Tensor& tensor, std::int32_t k, std::int32_t value) {
            if (is_float(tensor.dtype))
                store_float(tensor, at(k), static_cast<float>(value));
            else
                store_bits(tensor, at(k), static_cast<std::uint32_t>(value));
        };
        for (std::int32_t k = 0; k < count; ++k) {
            put(args.first, k, first[k]);
            put(args.end, k, end[k]);
        }
    }

    void sort() {
        using Arguments = firmware::SortArguments;
        const auto args = arguments<Arguments>();
        const bool descending = (args.flags & Arguments::Descending) != 0;
        const bool indices = (args.flags & Arguments::WithIndices) != 0;
        select(args.partition, args.partitions, args.dtype, args.a, args.count, args.count, descending,
               args.dst, indices ? std::optional(args.indices) : std::nullopt);
    }

    void top_k() {
        const auto args = arguments<firmware::TopKArguments>();
        select(args.partition, args.partitions, args.dtype, args.a, args.count, args.k, true, args.dst,
               args.indices);
    }

  private:
    template <class Arguments>
    Arguments arguments() const {
        Arguments result;
        static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) % 4 == 0);
        if (4 * words_.size() < sizeof(Arguments)) throw Error("the command has not got its arguments");
        std::memcpy(&result, words_.data(), sizeof result);
        return result;
    }

    template <class Body>
    void for_each(const Shape& shape, const Body& body) const {
        for (std::uint32_t row = 0; row < shape.partitions; ++row) {
            if ((shape.partition + row) / Partitions != core_) continue;
            Element element{shape.partition + row, row, {}};
            for (auto& i3 = element.index[3] = 0; i3 < shape.count[3]; ++i3) {
                for (auto& i2 = element.index[2] = 0; i2 < shape.count[2]; ++i2) {
                    for (auto& i1 = element.index[1] = 0; i1 < shape.count[1]; ++i1) {
                        for (auto& i0 = element.index[0] = 0; i0 < shape.count[0]; ++i0) body(element);
                    }
                }
            }
        }
    }

    std::uint32_t bits(const Tensor& tensor, const Element& e) const {
        return memory_.load(e.partition, e.byte(tensor), bytes_of(tensor.dtype));
    }
    void store_bits(const Tensor& tensor, const Element& e, std::uint32_t value) const {
        const std::uint32_t bytes = bytes_of(tensor.dtype);
        memory_.store(e.partition, e.byte(tensor), bytes,
                      bytes == 4 ? value : value & ((1U << (8 * bytes)) - 1));
    }
    // Extends the sign of signed types.
    std::int64_t integer(const Tensor& tensor, const Element& e) const {
        const std::uint32_t value = bits(tensor, e);
        switch (tensor.dtype) {
            case Dtype::I8:
                return static_cast<std::int8_t>(value);
            case Dtype::I16:
                return static_cast<std::int16_t>(value);
            case Dtype::I32:
                return static_cast<std::int32_t>(value);
            default:
                return value;
        }
    }
    // A shift to the right sees the element without its sign extension.
    std::uint32_t operand(AluOp op, const Tensor& tensor, const Element& e) const {
        return op == AluOp::ShiftRight ? bits(tensor, e) : static_cast<std::uint32_t>(integer(tensor, e));
    }
    float number(const Tensor& tensor, const Element& e) const {
        if (tensor.dtype == Dtype::Fp32) return std::bit_cast<float>(bits(tensor, e));
        if (tensor.dtype == Dtype::Bf16) return std::bit_cast<float>(bits(tensor, e) << 16);
        return static_cast<float>(integer(tensor, e));
    }
    void store_float(const Tensor& tensor, const Element& e, float value) const {
        if (tensor.dtype == Dtype::Fp32) return store_bits(tensor, e, std::bit_cast<std::uint32_t>(value));
        store_bits(tensor, e, tensor.dtype == Dtype::Bf16 ? to_bf16(value) : to_integer(tensor.dtype, value));
    }

    // Stores the first `kept` elements of each row in sorted order, and the positions they had.
    void select(std::uint32_t partition, std::uint32_t partitions, Dtype dtype, std::uint32_t from,
                std::uint32_t count, std::uint32_t kept, bool descending, std::uint32_t to,
                std::optional<std::uint32_t> indices) const {
        const Tensor a = row_of(from, dtype), dst = row_of(to, dtype);
        for_each(Shape{partition, partitions, {1, 1, 1, 1}}, [&](const Element& row) {
            const auto at = [&](std::uint32_t k) { return Element{row.partition, row.row, {k, 0, 0, 0}}; };
            std::vector<std::uint32_t> values(count), order(count);
            for (std::uint32_t k = 0; k < count; ++k) values[k] = bits(a, at(k));
            std::iota(order.begin(), order.end(), 0U);
            std::ranges::stable_sort(order, [&](std::uint32_t x, std::uint32_t y) {
                const std::int64_t one = order_of(dtype, values[x]), other = order_of(dtype, values[y]);
                return descending ? one > other : one < other;
            });
            for (std::uint32_t k = 0; k < kept; ++k) {
                store_bits(dst, at(k), values[order[k]]);
                if (indices) store_bits(row_of(*indices, Dtype::U32), at(k), order[k]);
            }
        });
    }

    std::span<const std::uint32_t> words_;
    std::uint32_t core_;
    GpsimdMemory& memory_;
};

using Run = void (Core::*)();
// In the order of firmware::Command.
constexpr Run Commands[] = {&Core::memset,
                            &Core::tensor_copy,
                            &Core::tensor_tensor,
                            &Core::tensor_scalar,
                            &Core::iota,
                            &Core::affine_select,
                            &Core::local_gather,
                            &Core::partition_reduce,
                            &Core::partition_broadcast,
                            &Core::sequence_bounds,
                            &Core::sort,
                            &Core::top_k};
static_assert(std::size(Commands) == static_cast<std::size_t>(firmware::Command::Count));

}  // namespace

Refused::Refused(Status status, const std::string& detail)
    : Error(firmware::text_of(status) + (detail.empty() ? "" : " (" + detail + ")")) {}

void run_microcode(firmware::Command command, std::span<const std::uint32_t> words, std::uint32_t core,
                   GpsimdMemory& memory) {
    if (command >= firmware::Command::Count)
        throw Error(fmt::format("the microcode has no command {}", static_cast<unsigned>(command)));
    (Core(words, core, memory).*Commands[static_cast<std::size_t>(command)])();
}

}  // namespace trnsim::functional
