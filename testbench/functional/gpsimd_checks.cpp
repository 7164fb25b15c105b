#include "testbench/functional/gpsimd_checks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <ranges>
#include <type_traits>

#include "arch/target/memory.hpp"

namespace trnsim::functional {
namespace {

using firmware::AluOp;
using firmware::Dtype;
using firmware::Shape;
using firmware::Status;
using firmware::Tensor;

constexpr std::uint32_t Core = target::GpsimdPartitions;

bool is_float(Dtype dtype) {
    return dtype == Dtype::Fp32 || dtype == Dtype::Bf16;
}
bool is_within(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    return least <= value && value <= most;
}
bool is_one_of(auto value, std::initializer_list<decltype(value)> list) {
    return std::ranges::find(list, value) != list.end();
}

// Keeps the status of the first check that fails.
class Checks {
  public:
    explicit Checks(const target::Core& target) : target_(target) {}

    Status status() const { return status_; }

    Checks& require(bool holds, Status otherwise) {
        if (status_ == Status::Ok && !holds) status_ = otherwise;
        return *this;
    }
    Checks& shape(const Shape& shape) {
        const auto there = static_cast<std::uint64_t>(target_.partitions);
        const std::uint64_t end = std::uint64_t{shape.partition} + shape.partitions;
        require(shape.partitions != 0 && end <= there, Status::BadShape);
        return require(
            std::ranges::all_of(shape.count, [](std::uint32_t count) { return is_within(count, 1, 65536); }),
            Status::BadShape);
    }
    Checks& tensor(const Shape& shape, const Tensor& tensor) {
        const std::uint32_t log2 = firmware::size_log2(tensor.dtype);
        require(log2 != firmware::NoSize, Status::BadDtype);
        if (status_ != Status::Ok) return *this;
        require(std::countr_zero(tensor.address) >= static_cast<int>(log2), Status::Misaligned);
        std::int64_t low = tensor.address, high = low + (1 << log2);
        for (unsigned axis = 0; axis < 4; ++axis) {
            const std::int64_t reach =
                (std::int64_t{shape.count[axis]} - 1) * tensor.step[axis] * (1 << log2);
            (reach < 0 ? low : high) += reach;
        }
        return require(low >= 0 && high <= static_cast<std::int64_t>(target_.sbuf_partition),
                       Status::OutOfBounds);
    }
    // Checks elements that are side by side.
    Checks& row(const Shape& partitions, std::uint32_t address, Dtype dtype, std::uint32_t elements) {
        const Shape all{partitions.partition, partitions.partitions, {1, 1, 1, 1}};
        shape(all);
        tensor(all, {address, dtype, {1, 0, 0, 0}});
        const std::uint64_t end = address + (std::uint64_t{elements} << firmware::size_log2(dtype));
        return require(end <= static_cast<std::uint64_t>(target_.sbuf_partition), Status::OutOfBounds);
    }
    // Checks a word in every partition.
    Checks& word(std::uint32_t address) {
        require(address % 4 == 0, Status::Misaligned);
        return require(std::uint64_t{address} + 4 <= static_cast<std::uint64_t>(target_.sbuf_partition),
                       Status::OutOfBounds);
    }
    Checks& operation(AluOp op, bool floats) {
        const bool of_bits = op >= AluOp::BitwiseAnd && op <= AluOp::ShiftRight;
        const bool of_floats = is_one_of(op, {AluOp::Reciprocal, AluOp::Rsqrt, AluOp::Power});
        return require(op <= AluOp::Relu && !(floats ? of_bits : of_floats), Status::BadOperation);
    }

  private:
    const target::Core& target_;
    Status status_ = Status::Ok;
};

void check(Checks& c, const firmware::MemsetArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst);
}

void check(Checks& c, const firmware::TensorCopyArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst).tensor(args.shape, args.a);
}

void check(Checks& c, const firmware::TensorTensorArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst).tensor(args.shape, args.a).tensor(args.shape, args.b);
    c.operation(args.op, is_float(args.dst.dtype) || is_float(args.a.dtype) || is_float(args.b.dtype));
}

void check(Checks& c, const firmware::TensorScalarArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst).tensor(args.shape, args.a);
    if ((args.flags & firmware::TensorScalarArguments::Vector0) != 0) c.word(args.imm0);
    if ((args.flags & firmware::TensorScalarArguments::Vector1) != 0) c.word(args.imm1);
    const bool floats = is_float(args.dst.dtype) || is_float(args.a.dtype);
    c.operation(args.op0, floats).operation(args.op1, floats);
}

void check(Checks& c, const firmware::IotaArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst);
}

void check(Checks& c, const firmware::AffineSelectArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst).tensor(args.shape, args.a);
    c.require(args.compare >= AluOp::IsEqual && args.compare <= AluOp::LessEqual, Status::BadOperation);
    c.require(is_float(args.dst.dtype) == is_float(args.a.dtype), Status::BadDtype);
}

void check(Checks& c, const firmware::LocalGatherArguments& args) {
    c.require(args.partition % Core == 0 && args.partitions % Core == 0, Status::BadShape);
    c.require(std::has_single_bit(args.elements) && args.elements <= 32, Status::BadShape);
    c.require(is_within(args.indices, 1, 4096) && is_within(args.groups, 1, 65536), Status::BadShape);
    const Shape all{args.partition, args.partitions, {1, 1, 1, 1}};
    if (c.status() != Status::Ok) return;
    c.row(all, args.dst, args.dtype, args.indices * args.elements);
    c.row(all, args.a, args.dtype, args.groups * args.elements);
    c.row(all, args.index, Dtype::U16, (args.indices + Core - 1) / Core);
}

void check(Checks& c, const firmware::PartitionReduceArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst).tensor(args.shape, args.a);
    const bool floats = is_float(args.a.dtype);
    c.require(is_float(args.dst.dtype) == floats, Status::BadDtype);
    const bool of_both = is_one_of(args.op, {AluOp::Add, AluOp::Max, AluOp::Min});
    const bool of_bits = is_one_of(args.op, {AluOp::BitwiseAnd, AluOp::BitwiseOr, AluOp::BitwiseXor});
    c.require(of_both || (of_bits && !floats), Status::BadOperation);
    c.require(args.divisor == 0 || floats, Status::BadOperation);
}

void check(Checks& c, const firmware::PartitionBroadcastArguments& args) {
    c.shape(args.shape).tensor(args.shape, args.dst).tensor(args.shape, args.a);
    c.require(args.source < Core, Status::BadShape);
    c.require(args.dst.dtype == args.a.dtype, Status::BadDtype);
}

void check(Checks& c, const firmware::SequenceBoundsArguments& args) {
    const Shape shape{args.partition, 1, {args.count, 1, 1, 1}};
    c.shape(shape);
    for (const Tensor& tensor : {args.first, args.end, args.a}) {
        c.tensor(shape, tensor);
    }
    for (const Tensor& tensor : {args.first, args.end, args.a})
        c.require(is_one_of(tensor.dtype, {Dtype::I32, Dtype::Fp32}), Status::BadDtype);
}

bool has_order(Dtype dtype) {
    return is_one_of(dtype, {Dtype::I32, Dtype::U32, Dtype::Fp32});
}

void check(Checks& c, const firmware::SortArguments& args) {
    const Shape shape{args.partition, args.partitions, {args.count, 1, 1, 1}};
    c.require(has_order(args.dtype), Status::BadDtype).shape(shape);
    if (c.status() != Status::Ok) return;
    c.row(shape, args.a, args.dtype, args.count).row(shape, args.dst, args.dtype, args.count);
    if ((args.flags & firmware::SortArguments::WithIndices) != 0)
        c.row(shape, args.indices, Dtype::U32, args.count);
}

void check(Checks& c, const firmware::TopKArguments& args) {
    const Shape shape{args.partition, args.partitions, {args.count, 1, 1, 1}};
    c.require(has_order(args.dtype), Status::BadDtype);
    c.require(is_within(args.k, 1, std::min(args.count, 64U)), Status::BadShape).shape(shape);
    if (c.status() != Status::Ok) return;
    c.row(shape, args.a, args.dtype, args.count);
    c.row(shape, args.dst, args.dtype, args.k).row(shape, args.indices, Dtype::U32, args.k);
}

template <class Arguments>
Status checked(std::span<const std::uint32_t> words, const target::Core& target) {
    static_assert(std::is_trivially_copyable_v<Arguments> && sizeof(Arguments) % 4 == 0);
    Arguments arguments;
    std::memcpy(&arguments, words.data(), sizeof arguments);
    Checks checks(target);
    check(checks, arguments);
    return checks.status();
}

using Check = Status (*)(std::span<const std::uint32_t>, const target::Core&);
// Rows are in the order of firmware::Command.
constexpr std::array Rows{Check{checked<firmware::MemsetArguments>},
                          Check{checked<firmware::TensorCopyArguments>},
                          Check{checked<firmware::TensorTensorArguments>},
                          Check{checked<firmware::TensorScalarArguments>},
                          Check{checked<firmware::IotaArguments>},
                          Check{checked<firmware::AffineSelectArguments>},
                          Check{checked<firmware::LocalGatherArguments>},
                          Check{checked<firmware::PartitionReduceArguments>},
                          Check{checked<firmware::PartitionBroadcastArguments>},
                          Check{checked<firmware::SequenceBoundsArguments>},
                          Check{checked<firmware::SortArguments>},
                          Check{checked<firmware::TopKArguments>}};
static_assert(Rows.size() == static_cast<std::size_t>(firmware::Command::Count));

}  // namespace

Status check_microcode(firmware::Command command, std::span<const std::uint32_t> words,
                       const target::Core& target) {
    const auto row = static_cast<std::size_t>(command);
    if (row >= Rows.size()) return Status::UnknownCommand;
    return words.size() < firmware::ArgumentWords ? Status::BadArguments : Rows.at(row)(words, target);
}

}  // namespace trnsim::functional
