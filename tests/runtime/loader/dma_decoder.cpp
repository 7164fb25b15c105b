#include "runtime/loader/dma_decoder.hpp"

#include <string>

#include "arch/numerics/arithmetic.hpp"
#include "arch/numerics/format.hpp"

namespace trnsim::test {
namespace {

constexpr std::uint64_t Registers = 0xffff0000000, RegistersEnd = 0x100000000000, RingBytes = 0x1000;
constexpr std::uint64_t DescriptorBytes = 16;

void expect(bool holds, const char* what) {
    if (!holds) throw std::runtime_error(std::string("a DMA engine expects ") + what);
}

// Codes of operations and results.
enum Code : unsigned {
    Copy = 0,
    Load = 1,
    Max = 5,
    FirstElement = 7,
    IndexStep = 8,
    IndexBounds = 9,
    Index = 10,
    Transpose = 11
};
enum Result : unsigned { Bytes = 0, Elements = 1, Nothing = 2 };

}  // namespace

float combined(unsigned operation, float x, float r) {
    switch (operation) {
        case 2:
            return numerics::add(x, r);
        case 3:
            return numerics::multiply(x, r);
        case 4:
            return numerics::minimum(x, r);
        case Max:
            return numerics::maximum(x, r);
        default:
            throw std::runtime_error("no operation of two elements");
    }
}

float load_element(const PlainMemory& memory, std::uint64_t address, isa::Dtype dtype) {
    const auto bits = memory.load(address, static_cast<unsigned>(numerics::storage_bytes(dtype)));
    return numerics::to_fp32(static_cast<std::uint32_t>(bits), dtype);
}

void store_element(PlainMemory& memory, std::uint64_t address, isa::Dtype dtype, float value) {
    memory.store(address, static_cast<unsigned>(numerics::storage_bytes(dtype)),
                 numerics::from_fp32(value, dtype));
}

struct DmaDecoder::Indices {
    std::int64_t step = 0;
    std::int32_t first = 0, last = 0;
    bool skip = false;
    std::vector<std::int32_t> values;

    // Returns the distance from a descriptor's address to the row that its meta word names; nothing if the
    // row is left out.
    std::optional<std::uint64_t> offset(std::uint32_t meta) const {
        const std::uint32_t row = meta >> 24;
        if (row == 0) return 0;
        expect(row <= values.size(), "rows of its indices");
        const std::int32_t value = values[row - 1];
        if (value < first || value > last) return std::nullopt;
        return static_cast<std::uint64_t>(step * value);
    }
};

// The descriptors and bytes of a packet that have been read so far.
struct DmaDecoder::Packet {
    const DmaDecoder& engine;
    Indices indices{};
    bool barrier = false;
    std::uint32_t rows = 0, columns = 0, element_bytes = 0;  // shape of a matrix
    std::vector<std::optional<std::uint8_t>> bytes{};        // empty if its row is left out
    std::vector<float> elements{};
    std::size_t source_begin = 0;  // elements of the current source that have been read
    int source = -1;

    void transpose() {
        expect(bytes.size() == std::size_t{rows} * columns * element_bytes,
               "as many bytes as the matrix has");
        std::vector<std::optional<std::uint8_t>> by_columns;
        for (std::size_t column = 0; column < columns; ++column) {
            for (std::size_t row = 0; row < rows; ++row) {
                for (std::size_t b = 0; b < element_bytes; ++b)
                    by_columns.push_back(bytes[(row * columns + column) * element_bytes + b]);
            }
        }
        bytes = std::move(by_columns);
    }

    void read(const DecodedDescriptor& one) {
        const PlainMemory& memory = engine.memory_;
        const unsigned operation = one.meta & 0xff;
        if (operation == IndexStep) {
            expect(one.first && one.length == 8, "the step first");
            indices.step = static_cast<std::int64_t>(one.address);
        } else if (operation == IndexBounds) {
            expect(one.length == 8, "bounds of 8 bytes");
            indices.first = static_cast<std::int32_t>(one.address);
            indices.last = static_cast<std::int32_t>(one.address >> 32);
            indices.skip = (one.meta & 0x100) != 0;
        } else if (operation == Index) {
            expect(one.length == 4 && one.address % 4 == 0 && indices.values.size() < 64,
                   "64 aligned indices");
            const auto value = static_cast<std::int32_t>(memory.load(engine.at(one.address), 4));
            indices.values.push_back(value);
            expect(indices.skip || (indices.first <= value && value <= indices.last), "an index in bounds");
        } else if (operation == Transpose) {
            expect(one.first && one.length == 8, "the shape first");
            rows = one.address & 0xffff;
            columns = one.address >> 16 & 0xffff;
            element_bytes = static_cast<std::uint32_t>(one.address >> 32);
            expect(rows * columns >= 1 && rows * columns <= 4096, "a matrix that the buffer holds");
        } else if (operation == FirstElement) {
            expect(one.length == 8, "a number of 8 bytes");
        } else if (operation == Copy) {
            const auto offset = indices.offset(one.meta);
            for (std::uint32_t i = 0; i < one.length; ++i)
                bytes.push_back(offset ? std::optional(memory.read(engine.at(one.address + *offset + i)))
                                       : std::nullopt);
        } else {
            expect(operation >= Load && operation <= Max, "an operation");
            read_elements(one, operation);
        }
    }

    void read_elements(const DecodedDescriptor& one, unsigned operation) {
        const auto dtype = static_cast<isa::Dtype>(one.meta >> 8 & 0xf);
        const auto size = static_cast<std::uint32_t>(numerics::storage_bytes(dtype));
        const int number = static_cast<int>(one.meta >> 12 & 0xf);
        expect(one.length % size == 0, "whole elements");
        expect(number == source || number == source + 1, "sources in order");
        expect((number == 0) == (operation == Load), "a load first");
        expect(!one.last || number == static_cast<int>(one.meta >> 16 & 0xf), "the last source last");
        if (number != source) source_begin = 0;
        source = number;
        const auto offset = indices.offset(one.meta);
        expect(offset.has_value(), "a row that there is");
        for (std::uint32_t i = 0; i < one.length; i += size) {
            const float x = load_element(engine.memory_, engine.at(one.address + *offset + i), dtype);
            if (operation == Load)
                elements.push_back(numerics::multiply(1, x));
            else
                elements.at(source_begin) = combined(operation, x, elements.at(source_begin));
            ++source_begin;
        }
        if (number > 0 || (one.meta >> 16 & 0xf) > 0)
            expect(elements.size() <= 4096, "at most 4096 elements");
    }
};

bool DmaDecoder::has(std::uint64_t address) {
    return address >= Registers && address < RegistersEnd;
}

void DmaDecoder::write(std::uint64_t address, std::uint32_t value) {
    Ring& ring = rings_[address / RingBytes * RingBytes];
    const std::uint64_t offset = address % RingBytes;
    Direction& direction = offset < 0x20 ? ring.m2s : ring.s2m;
    if (offset == 0x40) {
        std::uint32_t reads = value & 0xffff, writes = value >> 16;
        while (reads != 0) carry_out(ring.m2s, ring.s2m, reads, writes);
        expect(writes == 0, "as many write descriptors as packets have");
        return;
    }
    switch (offset % 0x20) {
        case 0x00:
            direction.base = (direction.base & ~std::uint64_t{0xffffffff}) | value;
            direction.head = 0;
            break;
        case 0x04:
            direction.base = (direction.base & 0xffffffff) | std::uint64_t{value} << 32;
            direction.head = 0;
            break;
        case 0x08:
            direction.size = value;
            break;
        default:
            throw std::runtime_error("no register of a ring that software writes");
    }
}

DecodedDescriptor DmaDecoder::fetch(Direction& direction) {
    expect(direction.size != 0 && direction.base % 256 == 0, "a ring with a size, on a multiple of 256");
    const std::uint64_t from = at(direction.base + direction.head * DescriptorBytes);
    direction.head = (direction.head + 1) % direction.size;
    const auto word = static_cast<std::uint32_t>(memory_.load(from, 4));
    DecodedDescriptor decoded;
    decoded.length = (word & 0xffff) == 0 ? 0x10000 : word & 0xffff;
    decoded.first = (word >> 26 & 1) != 0;
    decoded.last = (word >> 27 & 1) != 0;
    decoded.barrier = (word >> 30 & 1) != 0;
    decoded.meta = static_cast<std::uint32_t>(memory_.load(from + 4, 4));
    decoded.address = memory_.load(from + 8, 8);
    return decoded;
}

// Executes the next packet.
void DmaDecoder::carry_out(Direction& m2s, Direction& s2m, std::uint32_t& reads, std::uint32_t& writes) {
    Packet packet{*this};
    for (bool last = false, first = true; !last; first = false) {
        expect(reads-- != 0, "whole packets");
        const DecodedDescriptor one = fetch(m2s);
        expect(one.first == first, "a packet that begins where the one before ends");
        packet.barrier |= one.barrier;
        packet.read(one);
        last = one.last;
    }
    ++packets_;
    if (packet.element_bytes != 0) packet.transpose();
    std::size_t done = 0;  // bytes or elements
    while (done < packet.bytes.size() + packet.elements.size()) {
        expect(writes-- != 0, "write descriptors for all of a packet");
        const DecodedDescriptor one = fetch(s2m);
        const unsigned result = one.meta & 0xff;
        if (result == Nothing) continue;
        const auto offset = packet.indices.offset(one.meta);
        if (result == Elements) {
            expect((one.meta >> 12 & 3) != 0, "a rounding that does not depend on the engine");
            const auto dtype = static_cast<isa::Dtype>(one.meta >> 8 & 0xf);
            const auto size = static_cast<std::uint32_t>(numerics::storage_bytes(dtype));
            expect(one.length % size == 0 && offset, "whole elements of a row that there is");
            for (std::uint32_t i = 0; i < one.length; i += size)
                store_element(memory_, at(one.address + *offset + i), dtype, packet.elements.at(done++));
            continue;
        }
        expect(result == Bytes && done + one.length <= packet.bytes.size(),
               "packet and write descriptors of one length");
        if (one.length == 4 && packet.bytes[done]) {
            std::uint64_t value = 0;
            for (unsigned i = 0; i < 4; ++i) value |= std::uint64_t{*packet.bytes[done + i]} << 8 * i;
            if (take_(one.address, value, packet.barrier)) {
                done += one.length;
                continue;
            }
        }
        for (std::uint32_t i = 0; i < one.length; ++i, ++done) {
            if (offset && packet.bytes[done])
                memory_.write(at(one.address + *offset + i), *packet.bytes[done]);
        }
    }
}

}  // namespace trnsim::test
