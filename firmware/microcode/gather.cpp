// local_gather.
#include "firmware/microcode/columns.hpp"
#include "firmware/microcode/commands.hpp"

namespace trnsim::firmware {

namespace {

constexpr uint32_t MostIndices = 4096;

Tensor row(uint32_t address, Dtype dtype) {
    return {address, dtype, {1, 0, 0, 0}};
}

// Copies columns that stand side by side.
void copy(const Tensor& to, uint32_t to_element, const Tensor& from, uint32_t from_element, uint32_t count,
          uint32_t at_once) {
    for (uint32_t done = 0; done < count;) {
        const uint32_t columns = count - done < at_once ? count - done : at_once;
        const size_t vl = columns * Partitions;
        const Bits bits =
            load_bits(from.dtype, address_of(from, static_cast<int32_t>(from_element + done), 0), vl);
        store_bits(to.dtype, address_of(to, static_cast<int32_t>(to_element + done), 0), bits, vl);
        done += columns;
    }
}

}  // namespace

Status local_gather(const void* arguments) {
    const auto& args = *static_cast<const LocalGatherArguments*>(arguments);
    const bool power_of_two = args.elements != 0 && (args.elements & (args.elements - 1)) == 0;
    if (args.partition % Partitions != 0 || args.partitions % Partitions != 0 || !power_of_two ||
        args.elements > 32 || args.indices == 0 || args.indices > MostIndices || args.groups == 0 ||
        args.groups > 65536) {
        return Status::BadShape;
    }
    const Tensor dst = row(args.dst, args.dtype), a = row(args.a, args.dtype),
                 index = row(args.index, Dtype::U16);
    const auto shape_of = [&](uint32_t count, uint32_t groups) {
        return Shape{args.partition, args.partitions, {count, groups, 1, 1}};
    };
    const auto check_row = [&](const Tensor& tensor, uint32_t groups, uint32_t elements) {
        Tensor grouped = tensor;
        grouped.step[1] = static_cast<int32_t>(elements);
        return check(shape_of(elements, groups), grouped);
    };
    Status status = check_row(dst, args.indices, args.elements);
    if (status == Status::Ok) status = check_row(a, args.groups, args.elements);
    if (status == Status::Ok) status = check_row(index, (args.indices + Partitions - 1) / Partitions, 1);
    if (status != Status::Ok) return status;
    const OwnPartitions own = own_partitions(args.partition, args.partitions);
    if (own.count == 0) return Status::Ok;

    const uint32_t at_once = columns_at_once(own, dst, a);
    constexpr bool Passes[] = {false, true};
    uint32_t list[Partitions];
    // All indices first, so that nothing is written when one is bad.
    for (const bool copies : Passes) {
        for (uint32_t i = 0; i < args.indices; ++i) {
            if (i % Partitions == 0) {
                const uint32_t from = address_of(index, static_cast<int32_t>(i / Partitions), 0);
                __riscv_vse32(list, load_bits(Dtype::U16, from, Partitions), Partitions);
            }
            const uint32_t group = list[i % Partitions];
            if (group >= args.groups) return Status::BadIndex;
            if (copies) copy(dst, i * args.elements, a, group * args.elements, args.elements, at_once);
        }
    }
    return Status::Ok;
}

}  // namespace trnsim::firmware
