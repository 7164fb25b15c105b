#include "tests/rtl/gpsimd/blocks/access_bench.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

namespace trnsim::test {

namespace {

// The part of a port that belongs to one of its cores or ports.
template <class Value, class Port>
Value part_of(const Port& port, std::size_t number) {
    Value value;
    std::memcpy(&value, reinterpret_cast<const std::uint8_t*>(&port) + number * sizeof value, sizeof value);
    return value;
}
template <class Value, class Port>
void set_part(Port& port, std::size_t number, const Value& value) {
    std::memcpy(reinterpret_cast<std::uint8_t*>(&port) + number * sizeof value, &value, sizeof value);
}

bool is_of_a_core(std::uint32_t address) {
    return address >= Window && address < Window + Cores * TcmBytes;
}
std::pair<std::uint32_t, std::uint32_t> place(std::uint32_t address) {
    const std::uint32_t offset = address - Window;
    return {offset / TcmBytes, offset % TcmBytes / BusBytes * BusBytes};
}

}  // namespace

AccessBench::AccessBench(Timing timing) : timing_(timing) {
    for (std::uint32_t core = 0; core < Cores; ++core) {
        memory_[core].resize(TcmBytes);
        for (auto& byte : memory_[core]) byte = static_cast<std::uint8_t>(random_());
        expected_[core] = memory_[core];
    }
    model_.rst_ni = 1;
    model_.eval();
    reset();
    bus_step();
    bus_cycles = engine_edges = window_edges = 0;
}

void AccessBench::reset() {
    for (std::uint32_t p = 0; p < Ports; ++p) reads[p].asks = writes[p].asks = false;
    model_.rst_ni = 0;
    for (int k = 0; k < 4; ++k) step();
    model_.rst_ni = 1;
    answers_ = next_ = {};
}

void AccessBench::ask_read(std::uint32_t port, std::uint32_t address) {
    reads[port].asks = true;
    reads[port].address = address;
}

void AccessBench::ask_write(std::uint32_t port, std::uint32_t address) {
    Requester& writer = writes[port];
    writer.asks = true;
    writer.address = address;
    for (auto& byte : writer.data) byte = static_cast<std::uint8_t>(random_());
    for (auto& byte : writer.strobe) byte = static_cast<std::uint8_t>(random_());
}

void AccessBench::step() {
    drive();
    model_.clk_i = 0;
    model_.eval();
    fire_ = model_.fire_o != 0;
    const std::uint32_t taken = model_.own_gnt_o, answered = model_.own_rvalid_o;
    if (fire_) sample_engine();
    if (bus_edge_ && model_.rst_ni != 0) sample_bus();
    model_.clk_i = 1;
    model_.eval();
    window_edges += model_.bus_edge_o;
    engine_edges += fire_;
    bus_cycles += bus_edge_;
    ++cycle_;
    check_kept_data();
    if (fire_) {
        if (engine_edge) engine_edge(taken, answered);
        answers_ = next_;
    }
}

void AccessBench::bus_step() {
    do {
        step();
    } while (!bus_edge_);
}

std::uint64_t AccessBench::finish() {
    const auto open = [](const Requester& requester) { return requester.asks; };
    const std::uint64_t begin = bus_cycles;
    while (std::ranges::any_of(reads, open) || std::ranges::any_of(writes, open)) {
        bus_step();
        if (bus_cycles > begin + 10'000) {
            ADD_FAILURE() << "an access is not done";
            break;
        }
    }
    return bus_cycles - begin;
}

void AccessBench::drive() {
    bus_edge_ = cycle_ % timing_.bus == 0;
    model_.bus_tick_i = bus_edge_;
    model_.tick_i = cycle_ % timing_.engine == 0;
    model_.hold_i = hold;
    std::uint64_t from = 0, to = 0;
    unsigned reading = 0, writing = 0;
    for (std::uint32_t p = 0; p < Ports; ++p) {
        reading |= static_cast<unsigned>(reads[p].asks) << p;
        writing |= static_cast<unsigned>(writes[p].asks) << p;
        from |= std::uint64_t{reads[p].address} << 26 * p;
        to |= std::uint64_t{writes[p].address} << 26 * p;
        set_part(model_.wr_data_i, p, writes[p].data);
        set_part(model_.wr_strobe_i, p, writes[p].strobe);
    }
    model_.rd_req_i = static_cast<std::uint8_t>(reading);
    model_.wr_req_i = static_cast<std::uint8_t>(writing);
    model_.rd_addr_i = from;
    model_.wr_addr_i = to;

    model_.own_active_i = own.active;
    model_.own_req_i = static_cast<std::uint8_t>(own.active ? own.cores : 0);
    model_.own_write_i = own.write;
    model_.own_beat_i = static_cast<std::uint16_t>(own.beat);
    set_part(model_.own_wdata_i, 0, own.data);
    set_part(model_.own_strobe_i, 0, own.strobe);

    // Plays the memories, from one edge of the engine to the next; without an answer their lines may be
    // anything.
    if (!fire_) return;
    unsigned takes = 0, answers = 0;
    for (std::uint32_t core = 0; core < Cores; ++core) {
        takes |= static_cast<unsigned>(random_() % 100 < timing_.taken_percent) << core;
        answers |= static_cast<unsigned>(answers_[core][2].has_value()) << core;
        for (auto& byte : answer_[core]) byte = static_cast<std::uint8_t>(random_());
        if (answers_[core][2]) answer_[core] = *answers_[core][2];
        set_part(model_.window_rdata_i, core, answer_[core]);
    }
    model_.window_gnt_i = static_cast<std::uint8_t>(takes);
    model_.window_rvalid_i = static_cast<std::uint8_t>(answers);
}

void AccessBench::sample_engine() {
    for (std::uint32_t core = 0; core < Cores; ++core) {
        next_[core] = {std::nullopt, answers_[core][0], answers_[core][1]};
        if ((model_.window_req_o & model_.window_gnt_i & 1u << core) == 0) continue;
        const std::uint32_t at = (model_.window_beat_o >> 10 * core & 0x3ff) * MemoryBytes;
        if ((model_.window_write_o >> core & 1) == 0) {
            MemoryBeat beat;
            std::memcpy(beat.data(), &memory_[core][at], beat.size());
            next_[core][0] = beat;
            continue;
        }
        const auto data = part_of<MemoryBeat>(model_.window_wdata_o, core);
        const auto strobe = part_of<std::uint64_t>(model_.window_strobe_o, core);
        for (std::uint32_t k = 0; k < MemoryBytes; ++k)
            if ((strobe >> k & 1) != 0) memory_[core][at + k] = data[k];
    }
}

void AccessBench::sample_bus() {
    EXPECT_LE(std::popcount(model_.wr_gnt_o) + std::popcount(model_.rd_gnt_o), 1);
    for (std::uint32_t p = 0; p < Ports; ++p) {
        if ((model_.wr_gnt_o >> p & 1) != 0) has_written(p);
        if ((model_.rd_gnt_o >> p & 1) != 0) has_read(p);
    }
}

// Writes that have been granted take effect.
void AccessBench::has_written(std::uint32_t port) {
    Requester& writer = writes[port];
    ASSERT_TRUE(writer.asks && is_of_a_core(writer.address)) << "port " << port;
    const auto [core, at] = place(writer.address);
    for (std::uint32_t k = 0; k < BusBytes; ++k)
        if ((writer.strobe[k / 8] >> k % 8 & 1) != 0) expected_[core][at + k] = writer.data[k];
    ASSERT_TRUE(std::equal(&memory_[core][at], &memory_[core][at] + BusBytes, &expected_[core][at]))
        << "core " << core << " at " << at;
    writer.asks = false;
    order.push_back(port);
}

void AccessBench::has_read(std::uint32_t port) {
    Requester& reader = reads[port];
    ASSERT_TRUE(reader.asks && is_of_a_core(reader.address)) << "port " << port;
    const auto [core, at] = place(reader.address);
    reader.seen.emplace();
    std::memcpy(reader.seen->data(), &expected_[core][at], BusBytes);
    reader.asks = false;
    order.push_back(Ports + port);
}

void AccessBench::check_kept_data() {
    for (std::uint32_t p = 0; p < Ports; ++p) {
        if (!reads[p].seen) continue;
        EXPECT_EQ(part_of<BusBeat>(model_.rdata_o, p), *reads[p].seen) << "port " << p;
    }
}

}  // namespace trnsim::test
