// The memory that random instructions may touch in the tests of one engine.
#pragma once

#include "testbench/random_programs/lane_generator.hpp"
#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

// Buffers of 1 KiB, at both ends of the memories and in between.
inline const Geometry& block_geometry() {
    constexpr std::uint32_t Bytes = 1024;
    static const Geometry geometry{Lanes,
                                   {{false, 0, Bytes},
                                    {false, Bytes, Bytes},
                                    {false, 65536, Bytes},
                                    {false, 98304 + 512, Bytes},
                                    {false, SbufBytes - Bytes, Bytes},
                                    {true, 0, Bytes},
                                    {true, 4096, Bytes},
                                    {true, PsumBytes - Bytes, Bytes}}};
    return geometry;
}

// The whole of both memories, with steps over their full range.
inline const Geometry& whole_geometry() {
    static const Geometry geometry{Lanes, {{false, 0, SbufBytes}, {true, 0, PsumBytes}}};
    return geometry;
}

}  // namespace trnsim::test
