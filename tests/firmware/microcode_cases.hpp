// Random tensors in the slice.
#pragma once

#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include "tests/firmware/simulated_core.hpp"
#include "trnsim/microcode.hpp"

namespace trnsim::test {

using namespace firmware;

constexpr std::uint32_t RegionBytes = 4096;  // size of each operand's region in every partition
constexpr std::uint32_t Regions = 4;

inline std::uint32_t dtype_bytes(Dtype dtype) {
    return dtype == Dtype::I8 || dtype == Dtype::U8                             ? 1
           : dtype == Dtype::I16 || dtype == Dtype::U16 || dtype == Dtype::Bf16 ? 2
                                                                                : 4;
}

class Cases {
  public:
    explicit Cases(std::mt19937_64& random) : random_(random) {}

    std::uint32_t number(std::uint32_t low, std::uint32_t high) {
        return low + static_cast<std::uint32_t>(random_() % (high - low + 1));
    }
    bool chance(std::uint32_t percent) { return number(1, 100) <= percent; }
    template <class T, std::size_t Count>
    T one_of(const T (&list)[Count]) {
        return list[number(0, Count - 1)];
    }

    Dtype dtype(bool floats, bool integers);
    // Returns partitions around those of core `core`: some of them, all, or more.
    Shape shape(std::uint32_t core);
    // Returns a tensor anywhere in a region; elements of a destination do not overlap.
    Tensor tensor(const Shape& shape, std::uint32_t region, Dtype dtype, bool is_destination);
    Tensor dense(std::uint32_t region, Dtype dtype);
    // Fills every word of the slice with small and large integers, or floats of all kinds.
    void fill(Slice& slice, bool floats);
    std::uint32_t float_bits();
    std::uint32_t integer_bits();

  private:
    std::mt19937_64& random_;
};

// An element of a shape.
struct Element {
    std::uint32_t partition;  // number in the core
    std::uint32_t index[4];

    std::uint32_t byte(const Tensor& tensor) const;
};

// Calls body for all elements of a shape that are in a core, partition by partition.
void for_each_element(const Shape& shape, std::uint32_t core,
                      const std::function<void(const Element&)>& body);

float load_float(const Slice& slice, const Tensor& tensor, const Element& element);  // fp32
void store_float(Slice& slice, const Tensor& tensor, const Element& element, float value);

// Describes the first word that differs; empty if none does.
std::string difference(const Slice& got, const Slice& expected);

}  // namespace trnsim::test
