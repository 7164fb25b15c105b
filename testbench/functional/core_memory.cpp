#include "testbench/functional/core_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/target/error.hpp"
#include "arch/target/memory.hpp"
#include "isa/disassembler.hpp"
#include "testbench/functional/error.hpp"

namespace trnsim::functional {

using target::Memory;

namespace {

constexpr std::uint32_t SumBytes = 4;

std::array<std::uint8_t, SumBytes> bytes_of(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
}

}  // namespace

target::Location locate(const target::Core& target, std::uint32_t address) {
    try {
        return target::locate(target, address);
    } catch (const target::Error& error) {
        throw Error(error.what());
    }
}

CoreMemory::CoreMemory(const target::Core& target, bool strict) : target_(target), strict_(strict) {
    for (auto [array, memory] : {std::pair{&sbuf_, Memory::Sbuf}, std::pair{&psum_, Memory::Psum}}) {
        array->partition_bytes = target::partition_bytes(target, memory);
        array->data.resize(array->partition_bytes * static_cast<std::uint64_t>(target.partitions));
        array->marks.resize(array->data.size(), Mark::Unwritten);
    }
}

std::uint64_t CoreMemory::place(std::uint32_t address, std::uint64_t bytes, const Array*& array) const {
    const target::Location location = functional::locate(target_, address);
    array = location.memory == Memory::Sbuf ? &sbuf_ : &psum_;
    if (location.offset + bytes <= array->partition_bytes) {
        return location.partition * array->partition_bytes + location.offset;
    }
    throw Error(fmt::format("{} bytes at {} cross the end of a partition", bytes,
                            isa::format_address(address, target::sbuf_partition_stride(target_))));
}

void CoreMemory::copy_out(std::uint32_t address, std::span<std::uint8_t> data) const {
    const Array* array = nullptr;
    const std::uint64_t first = place(address, data.size(), array);
    require_written(address, data.size());
    std::copy_n(array->data.begin() + static_cast<std::ptrdiff_t>(first), data.size(), data.begin());
}

void CoreMemory::require_written(std::uint32_t address, std::uint64_t bytes) const {
    if (!strict_) return;
    const Array* array = nullptr;
    const std::uint64_t first = place(address, bytes, array);
    for (std::uint64_t i = 0; i < bytes; ++i) {
        if (array->marks[first + i] != Mark::Unwritten) continue;
        throw Error(fmt::format("reads {}, which nothing has written",
                                isa::format_address(address + static_cast<std::uint32_t>(i),
                                                    target::sbuf_partition_stride(target_))));
    }
}

void CoreMemory::mark_written(std::uint32_t address, std::uint64_t bytes) {
    const Array* found = nullptr;
    const std::uint64_t first = place(address, bytes, found);
    Array& array = found == &sbuf_ ? sbuf_ : psum_;
    std::fill_n(array.marks.begin() + static_cast<std::ptrdiff_t>(first), bytes, Mark::Written);
}

std::span<std::uint8_t> CoreMemory::sbuf(std::uint32_t partition) {
    return std::span(sbuf_.data).subspan(partition * sbuf_.partition_bytes);
}

bool CoreMemory::is_written(std::uint32_t address) const {
    const Array* array = nullptr;
    const std::uint64_t byte = place(address, 1, array);
    return array->marks[byte] != Mark::Unwritten;
}

void CoreMemory::copy_in(std::uint32_t address, std::span<const std::uint8_t> data) {
    put(address, data, Mark::Written);
}

void CoreMemory::put(std::uint32_t address, std::span<const std::uint8_t> data, Mark mark) {
    const Array* found = nullptr;
    const std::uint64_t first = place(address, data.size(), found);
    Array& array = found == &sbuf_ ? sbuf_ : psum_;
    std::ranges::copy(data, array.data.begin() + static_cast<std::ptrdiff_t>(first));
    std::fill_n(array.marks.begin() + static_cast<std::ptrdiff_t>(first), data.size(), mark);
}

std::uint32_t CoreMemory::read(std::uint32_t address, std::uint32_t bytes) const {
    std::uint8_t data[4] = {};
    copy_out(address, {data, bytes});
    return data[0] | std::uint32_t{data[1]} << 8 | std::uint32_t{data[2]} << 16 |
           std::uint32_t{data[3]} << 24;
}

std::uint32_t CoreMemory::read_sum(std::uint32_t address) const {
    const Array* array = nullptr;
    const std::uint64_t first = place(address, SumBytes, array);
    if (strict_ && std::any_of(array->marks.begin() + static_cast<std::ptrdiff_t>(first),
                               array->marks.begin() + static_cast<std::ptrdiff_t>(first + SumBytes),
                               [](Mark mark) { return mark != Mark::Sum; })) {
        throw Error(fmt::format("adds to {}, which no matmul has written",
                                isa::format_address(address, target::sbuf_partition_stride(target_))));
    }
    return read(address, SumBytes);
}

void CoreMemory::write_sum(std::uint32_t address, std::uint32_t value) {
    put(address, bytes_of(value), Mark::Sum);
}

void CoreMemory::write(std::uint32_t address, std::uint32_t bytes, std::uint32_t value) {
    const auto data = bytes_of(value);
    copy_in(address, std::span(data).first(bytes));
}

}  // namespace trnsim::functional
