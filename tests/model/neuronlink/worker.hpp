// Random reads and writes of a chip, and a scoreboard: every worker has its own places in the memory of every
// chip, knows the contents of each, and has at most one request under way to each.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "model/neuronlink/bench.hpp"

namespace trnsim::test {

struct Outcomes {
    std::uint64_t right = 0;     // answers with the expected data
    std::uint64_t errors = 0;    // answers with TLM_GENERIC_ERROR_RESPONSE
    std::uint64_t wrong = 0;     // answers with other data
    std::uint64_t statuses = 0;  // answers with any other status

    Outcomes& operator+=(const Outcomes& other) {
        right += other.right;
        errors += other.errors;
        wrong += other.wrong;
        statuses += other.statuses;
        return *this;
    }
};

class Worker : public sc_core::sc_module {
  public:
    explicit Worker(const sc_core::sc_module_name& name)
        : sc_module(name), port("port", [this](auto& transaction, Time at) { answered(transaction, at); }) {}

    tlm::protocol::InitiatorPort port;
    Outcomes outcomes;

    // Sets up the places of `self` on `chips` chips.
    void set_up(unsigned self, unsigned chips, std::uint64_t seed) {
        random_.seed(seed * 1000 + self);
        for (unsigned chip = 0; chip < chips; ++chip) {
            for (unsigned i = 0; i < PlacesEach; ++i) {
                const std::uint64_t number = std::uint64_t{self} * PlacesEach + i;
                places_.push_back({chip, number * PlaceBytes, std::vector<std::uint8_t>(PlaceBytes)});
            }
        }
    }

    // Sends this many requests, `at_a_time` of them at once; each answer starts the next.
    void work(std::uint64_t requests, unsigned at_a_time) {
        left_ += requests;
        for (unsigned i = 0; i < at_a_time; ++i) send(tlm::now());
    }
    bool done() const { return left_ == 0 && under_way_ == 0; }

    // Compares the contents of the memories, through the debug transport, with the expected ones. Returns the
    // number of places that differ.
    unsigned differences() {
        unsigned count = 0;
        for (const Slot& place : places_) {
            if (place.unknown) continue;
            auto& t = pool_.make(::tlm::TLM_READ_COMMAND, at_chip(place.chip, place.local), PlaceBytes);
            EXPECT_EQ(port.socket->transport_dbg(t), PlaceBytes);
            count += std::equal(place.bytes.begin(), place.bytes.end(), t.get_data_ptr()) ? 0 : 1;
            t.release();
        }
        return count;
    }

  private:
    static constexpr unsigned PlacesEach = 6;
    static constexpr std::uint32_t PlaceBytes = 10'007;  // a prime: borders of packets lie anywhere
    struct Slot {
        unsigned chip;
        std::uint64_t local;
        std::vector<std::uint8_t> bytes;
        bool busy = false, unknown = false;  // unknown: a write to it has failed
    };

    std::uint32_t draw_length() {
        constexpr std::array<std::uint32_t, 6> Most{1, 64, 512, 4096, 4097, PlaceBytes};
        return static_cast<std::uint32_t>(1 + random_() % Most[random_() % Most.size()]);
    }

    void send(Time at) {
        if (left_ == 0) return;
        std::size_t number = 0;
        for (unsigned tries = 0;; ++tries) {
            number = random_() % places_.size();
            if (!places_[number].busy && !places_[number].unknown) break;
            if (tries < 1000) continue;
            if (under_way_ == 0) left_ = 0;  // no place with known contents is left
            return;
        }
        --left_;
        ++under_way_;
        Slot& place = places_[number];
        place.busy = true;
        const std::uint32_t length = draw_length();
        const auto offset = static_cast<std::uint32_t>(random_() % (PlaceBytes - length + 1));
        const bool write = random_() % 2 == 0;
        auto& t = pool_.make(write ? ::tlm::TLM_WRITE_COMMAND : ::tlm::TLM_READ_COMMAND,
                             at_chip(place.chip, place.local + offset), length);
        if (write) {
            const auto bytes = pattern(length, random_());
            std::copy(bytes.begin(), bytes.end(), t.get_data_ptr());
        }
        t.tag = number;
        t.detail = offset;
        port.send(t, at + random_() % 3 * (random_() % 400) * Ns);
    }

    void answered(tlm::protocol::Transaction& t, Time at) {
        Slot& place = places_[t.tag];
        place.busy = false;
        --under_way_;
        const std::uint32_t length = t.get_data_length();
        const auto first = place.bytes.begin() + static_cast<std::ptrdiff_t>(t.detail);
        if (t.get_response_status() == ::tlm::TLM_GENERIC_ERROR_RESPONSE) {
            ++outcomes.errors;
            place.unknown = place.unknown || t.is_write();
        } else if (!t.is_response_ok()) {
            ++outcomes.statuses;
        } else if (t.is_write()) {
            ++outcomes.right;
            std::copy_n(t.get_data_ptr(), length, first);
        } else {
            const bool right = std::equal(first, first + length, t.get_data_ptr());
            ++(right ? outcomes.right : outcomes.wrong);
        }
        send(at);
    }

    std::mt19937_64 random_;
    tlm::protocol::PayloadPool pool_;
    std::vector<Slot> places_;
    std::uint64_t left_ = 0, under_way_ = 0;
};

// A server with a worker for each chip.
class WorkerBench : public LinkBenchOf<Worker> {
  public:
    WorkerBench(const sc_core::sc_module_name& name, const Topology& topology, std::uint64_t seed,
                const Parameters& parameters = {}, const NetworkOptions& options = {})
        : LinkBenchOf(name, topology, parameters, options) {
        for (unsigned chip = 0; chip < topology.chips; ++chip)
            hosts[chip]->set_up(chip, topology.chips, seed);
    }

    void work(std::uint64_t requests, unsigned at_a_time) {
        for (const auto& host : hosts) host->work(requests, at_a_time);
    }
    bool done() const {
        return std::all_of(hosts.begin(), hosts.end(), [](const auto& host) { return host->done(); });
    }
    Outcomes outcomes() const {
        Outcomes sum;
        for (const auto& host : hosts) sum += host->outcomes;
        return sum;
    }
    unsigned differences() const {
        unsigned count = 0;
        for (const auto& host : hosts) count += host->differences();
        return count;
    }
};

}  // namespace trnsim::test
