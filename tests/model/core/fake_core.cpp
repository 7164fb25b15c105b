#include "model/core/fake_core.hpp"

#include <algorithm>
#include <utility>

namespace trnsim::test {

void FakeCore::step() {
    if (!in.reset_n) {
        ports_.assign(style_.ports, {});
        out.port = {};
        out.bus_tick = false;
        return;
    }
    ++steps;
    if (out.bus_tick) {
        for (unsigned i = 0; i < style_.ports; ++i) tick_port(i);
        tick_manager();
        tick_tables();
    }
    out.bus_tick = style_.tick_every == 0 ? random_() % 3 == 0 : steps % style_.tick_every == 0;
    script(*this);
    out.idle =
        !busy && fetches.empty() && posts.empty() && !out.manager.ar_valid && !out.manager.aw_valid &&
        !out.manager.w_valid && tables.empty() && !out.table.ar_valid &&
        std::none_of(ports_.begin(), ports_.end(), [](const Port& p) { return p.writing || p.reading; });
}

// A valid that was not accepted must stay, with the same payload.
void FakeCore::check_stable(Port& port, const tlm::AxiSubordinateIn& now,
                            const tlm::AxiSubordinateOut& ready) {
    const tlm::AxiSubordinateIn& then = port.before;
    const auto check = [&](bool held, bool same, const char* channel) {
        if (held && !same) faults.push_back(std::string(channel) + " changed before it was taken");
    };
    check(port.held_aw, now.aw_valid && now.aw_addr == then.aw_addr && now.aw_len == then.aw_len, "aw");
    check(port.held_ar, now.ar_valid && now.ar_addr == then.ar_addr && now.ar_len == then.ar_len, "ar");
    check(port.held_w, now.w_valid && now.w_strobe == then.w_strobe && now.w_last == then.w_last, "w");
    port.held_aw = now.aw_valid && !ready.aw_ready;
    port.held_ar = now.ar_valid && !ready.ar_ready;
    port.held_w = now.w_valid && !ready.w_ready;
    port.before = now;
}

void FakeCore::check_burst(std::uint32_t address, unsigned len) {
    const std::uint32_t end =
        address / style_.beat_bytes * style_.beat_bytes + (len + 1) * style_.beat_bytes - 1;
    if (address / 4096 != end / 4096) faults.emplace_back("burst across 4 KiB");
}

void FakeCore::tick_port(unsigned number) {
    Port& port = ports_[number];
    check_stable(port, in.port[number], out.port[number]);
    tick_write(port, in.port[number], out.port[number]);
    tick_read(port, in.port[number], out.port[number]);
}

void FakeCore::tick_write(Port& port, const tlm::AxiSubordinateIn& i, tlm::AxiSubordinateOut& o) {
    if (o.b_valid && i.b_ready) o.b_valid = port.writing = false;
    if (i.w_valid && o.w_ready) {
        const auto enabled = [&](std::uint32_t b) { return (i.w_strobe[b / 32] >> (b % 32) & 1) != 0; };
        const auto* data = reinterpret_cast<const std::uint8_t*>(i.w_data.data());
        for (std::uint32_t from = 0, to = 0; from < style_.beat_bytes;
             from = to + 1) {  // one run of enabled bytes at a time
            for (to = from; to < style_.beat_bytes && enabled(to); ++to) {
            }
            if (to != from) memory.write(port.write_address + from, {data + from, to - from});
        }
        port.failed |= port.write_address >= Hole;
        port.write_address += style_.beat_bytes;
        --port.write_left;
        if (i.w_last != (port.write_left == 0)) faults.emplace_back("w_last is wrong");
    }
    if (i.aw_valid && o.aw_ready) {
        check_burst(i.aw_addr, i.aw_len);
        port.writing = true;
        port.write_address = i.aw_addr / style_.beat_bytes * style_.beat_bytes;
        port.write_left = i.aw_len + 1U;
        port.failed = false;
    }
    if (port.writing && port.write_left == 0 && !o.b_valid && go()) {
        o.b_valid = true;
        o.b_resp = port.failed ? 2 : 0;
    }
    o.aw_ready = !port.writing && go();
    o.w_ready = port.writing && port.write_left != 0 && go();
}

void FakeCore::tick_read(Port& port, const tlm::AxiSubordinateIn& i, tlm::AxiSubordinateOut& o) {
    if (o.r_valid && i.r_ready) {
        o.r_valid = false;
        if (--port.read_left == 0) port.reading = false;
    }
    if (i.ar_valid && o.ar_ready) {
        check_burst(i.ar_addr, i.ar_len);
        port.reading = true;
        port.read_address = i.ar_addr / style_.beat_bytes * style_.beat_bytes;
        port.read_left = i.ar_len + 1U;
    }
    if (port.reading && !o.r_valid && go()) {
        o.r_valid = true;
        o.r_last = port.read_left == 1;
        o.r_resp = port.read_address >= Hole ? 2 : 0;
        memory.read(port.read_address, {reinterpret_cast<std::uint8_t*>(o.r_data.data()), style_.beat_bytes});
        port.read_address += style_.beat_bytes;
    }
    o.ar_ready = !port.reading && go();
}

void FakeCore::take_fetched(const tlm::AxiManagerIn& i) {
    Fetched& burst = open_[i.r_id];
    burst.id = i.r_id;
    burst.response = std::max(burst.response, i.r_resp);
    burst.words.insert(burst.words.end(), i.r_data.begin(), i.r_data.end());
    if (!i.r_last) return;
    const auto oldest = std::find_if(expected_.begin(), expected_.end(),
                                     [&](const auto& fetch) { return fetch.first == i.r_id; });
    if (oldest == expected_.end() || oldest->second * tlm::FetchWords != burst.words.size()) {
        faults.emplace_back("fetch answered out of order");
    }
    if (oldest != expected_.end()) expected_.erase(oldest);
    fetched.push_back(std::exchange(burst, {}));
}

void FakeCore::tick_tables() {
    const tlm::AxiTableIn& i = in.table;
    tlm::AxiTableOut& o = out.table;
    if (o.ar_valid && i.ar_ready) o.ar_valid = false;
    if (i.r_valid && o.r_ready) tables_read.push_back({0, i.r_resp, {i.r_data.begin(), i.r_data.end()}});
    o.r_ready = go();
    if (o.ar_valid || tables.empty() || !go()) return;
    o.ar_valid = true;
    o.ar_len = static_cast<std::uint8_t>(tables.front().beats - 1);
    o.ar_addr = tables.front().address;
    tables.pop_front();
}

void FakeCore::tick_manager() {
    const tlm::AxiManagerIn& i = in.manager;
    tlm::AxiManagerOut& o = out.manager;
    if (o.ar_valid && i.ar_ready) {
        expected_.emplace_back(o.ar_id, o.ar_len + 1U);
        o.ar_valid = false;
    }
    if (o.aw_valid && i.aw_ready) o.aw_valid = false;
    if (o.w_valid && i.w_ready) o.w_valid = false;
    if (i.r_valid && o.r_ready) take_fetched(i);
    if (i.b_valid && o.b_ready) acknowledged.emplace_back(i.b_id, i.b_resp);
    o.r_ready = go();
    o.b_ready = go();
    if (!o.ar_valid && !fetches.empty() && go()) {
        o.ar_valid = true;
        o.ar_id = fetches.front().id;
        o.ar_len = static_cast<std::uint8_t>(fetches.front().beats - 1);
        o.ar_addr = fetches.front().address;
        fetches.pop_front();
    }
    if (!o.aw_valid && !o.w_valid && !posts.empty() && go()) {
        o.aw_valid = o.w_valid = true;
        o.aw_id = posts.front().id;
        o.aw_addr = posts.front().address;
        o.aw_size = posts.front().wide ? 4 : 2;
        for (std::uint32_t w = 0; w < tlm::ManagerWords; ++w)
            o.w_data[w] = posts.front().data + (posts.front().wide ? w : 0);
        posts.pop_front();
    }
}

}  // namespace trnsim::test
