// SBUF and PSUM at the row ports of a verilated engine (rtl/common/row_port_pkg.sv), in the geometry of
// configs/trn1.yaml.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>

#include "tests/rtl/vector/memories.hpp"

namespace trnsim::test {

// The request of a port in one cycle: row_req_t. Its addresses have as many bits as the rows of the larger
// memory need.
struct RowRequest {
    bool read, write;
    std::uint32_t read_row, write_row;
    unsigned enable;

    explicit RowRequest(std::uint64_t bits) {
        constexpr unsigned RowBits = std::bit_width(std::max(SbufBytes, PsumBytes) / 4 - 1);
        const auto take = [&bits](unsigned width) {
            const auto field = static_cast<std::uint32_t>(bits & ((1u << width) - 1));
            bits >>= width;
            return field;
        };
        enable = take(4);
        write_row = take(RowBits);
        write = take(1) != 0;
        read_row = take(RowBits);
        read = take(1) != 0;
    }
};

// Number of accesses in one cycle, both ports together.
struct RowAccesses {
    unsigned reads = 0, writes = 0;
};

// Grants both ports, or holds back further instructions on them, each with a chance of `grant` in 256.
template <class Engine>
void draw_grants(Engine& engine, unsigned grant, std::mt19937_64& random) {
    const bool sbuf = random() % 256 < grant, psum = random() % 256 < grant;
    const bool sbuf_hold = random() % 256 >= grant, psum_hold = random() % 256 >= grant;
    engine.sbuf_grant_i = sbuf * 2 + sbuf_hold;
    engine.psum_grant_i = psum * 2 + psum_hold;
}

// Serves the ports of a cycle with settled signals; `clock_edge` makes the engine's edge at its end. Read
// data changes after the edge; a read takes the memory from before this cycle's write. A port that is not
// granted may change its read data.
template <class Engine, class Edge>
RowAccesses serve_rows(Engine& engine, Memories& memories, Edge clock_edge) {
    struct Port {
        RowRequest request;
        bool granted;
        std::vector<Row>& rows;
        std::uint32_t* read_data;
        Row data{};
    };
    Port ports[] = {{RowRequest(engine.sbuf_req_o), (engine.sbuf_grant_i & 2) != 0, memories.sbuf,
                     &engine.sbuf_rdata_i[0]},
                    {RowRequest(engine.psum_req_o), (engine.psum_grant_i & 2) != 0, memories.psum,
                     &engine.psum_rdata_i[0]}};
    RowAccesses accesses;
    for (Port& port : ports) {
        if (port.request.read) port.data = port.rows.at(port.request.read_row);
        accesses.reads += port.request.read;
        if (!port.request.write) continue;
        ++accesses.writes;
        std::uint32_t bytes = 0;
        for (unsigned k = 0; k < 4; ++k) bytes |= (port.request.enable >> k & 1) != 0 ? 0xffu << (8 * k) : 0;
        Row& row = port.rows.at(port.request.write_row);
        for (unsigned i = 0; i < Lanes; ++i) {
            const std::uint32_t taken = (engine.wmask_o[i / 32] >> (i % 32) & 1) != 0 ? bytes : 0;
            row[i] = (row[i] & ~taken) | (engine.wdata_o[i] & taken);
        }
    }
    clock_edge();
    for (const Port& port : ports) {
        if (port.request.read)
            std::copy(port.data.begin(), port.data.end(), port.read_data);
        else if (!port.granted)
            std::fill_n(port.read_data, Lanes, 0xdeadbeef);
    }
    return accesses;
}

}  // namespace trnsim::test
