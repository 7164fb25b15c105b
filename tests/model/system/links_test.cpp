// Tests the traffic of chips through their link sockets, with a wire in place of a network.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>

#include "arch/addresses/pooled.hpp"
#include "common/random.hpp"
#include "model/common/host.hpp"
#include "model/common/programs.hpp"
#include "model/system/server.hpp"

namespace trnsim::test {
namespace {

using addresses::pooled_address;
using tlm::Outcome;

constexpr tlm::Time Ns = 1'000'000;
constexpr tlm::Time Latency = 1'000 * Ns;
constexpr std::uint64_t Source = 0x2000000, Sink = 0x8000000;

class Wire;

// Receives a chip's accesses to others, and sends others' accesses to the chip.
class End : public sc_core::sc_module, private tlm::protocol::TargetModel {
  public:
    End(const sc_core::sc_module_name& name, Wire& wire)
        : sc_module(name),
          out("out", *this),
          in("in",
             [this](tlm::protocol::Transaction& transaction, tlm::Time at) { answered(transaction, at); }),
          wire_(wire) {}

    tlm::protocol::TargetPort out;
    tlm::protocol::InitiatorPort in;
    std::vector<std::uint64_t> seen;  // addresses of the chip's accesses

  private:
    struct Origin {
        End* end;
        tlm::Payload* payload;
    };

    bool request(tlm::Payload& payload, tlm::Time at) override;
    unsigned debug(tlm::Payload& payload) override;
    void answered(tlm::protocol::Transaction& transaction, tlm::Time at);

    Wire& wire_;
    tlm::protocol::PayloadPool pool_;
    std::map<const tlm::Payload*, Origin> origins_;
};

class Wire {
  public:
    // Connects the chips with these numbers.
    explicit Wire(const std::vector<unsigned>& chips) {
        for (const unsigned chip : chips)
            ends[chip] = std::make_unique<End>(("end_" + std::to_string(chip)).c_str(), *this);
    }
    // Returns the end for an address that counts from PooledBase; null if there is no such chip.
    End* to(std::uint64_t address) {
        const auto found = ends.find(static_cast<unsigned>(address >> 48));
        return found == ends.end() ? nullptr : found->second.get();
    }
    std::map<unsigned, std::unique_ptr<End>> ends;
};

std::uint64_t local(const tlm::Payload& payload) {
    return payload.get_address() % (1ULL << 48);
}

bool End::request(tlm::Payload& payload, tlm::Time at) {
    seen.push_back(payload.get_address());
    End* const to = wire_.to(payload.get_address());
    if (to == nullptr) {
        payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
        out.respond(payload, at + Latency);
        return true;
    }
    auto& copy = to->pool_.make(payload.get_command(), local(payload), payload.get_data_length());
    std::memcpy(copy.get_data_ptr(), payload.get_data_ptr(), payload.get_data_length());
    to->origins_[&copy] = {this, &payload};
    to->in.send(copy, at + Latency);
    return true;
}

unsigned End::debug(tlm::Payload& payload) {
    End* const to = wire_.to(payload.get_address());
    if (to == nullptr) return 0;
    const std::uint64_t address = payload.get_address();
    payload.set_address(local(payload));
    const unsigned count = to->in.socket->transport_dbg(payload);
    payload.set_address(address);
    return count;
}

void End::answered(tlm::protocol::Transaction& transaction, tlm::Time at) {
    const Origin origin = origins_.at(&transaction);
    origins_.erase(&transaction);
    if (origin.payload->is_read())
        std::memcpy(origin.payload->get_data_ptr(), transaction.get_data_ptr(),
                    transaction.get_data_length());
    origin.payload->set_response_status(transaction.get_response_status());
    origin.end->out.respond(*origin.payload, at + Latency);
}

// Chips 2 and 5, with two slots each.
struct Pair {
    explicit Pair(tlm::perturb::Seed perturb = {}) : slots2(config, 2), slots5(config, 2) {
        const auto setup = [perturb](const FakeSlots& slots, unsigned number) {
            return tlm::ChipSetup{
                slots.factories,
                {.number = number, .check_protocol = true, .perturb = perturb, .linked = true}};
        };
        server = std::make_unique<tlm::Server>(config, std::vector{setup(slots2, 2), setup(slots5, 5)});
        wire = std::make_unique<Wire>(std::vector{2u, 5u});
        for (const unsigned chip : {2u, 5u})
            server->chip(chip).bind_links(wire->ends[chip]->out.socket, wire->ends[chip]->in.socket);
    }
    ~Pair() {
        for (const unsigned chip : {2u, 5u})
            EXPECT_EQ(server->chip(chip).protocol_violations(), std::vector<std::string>{});
    }
    std::vector<std::uint8_t> read(unsigned chip, std::uint64_t address, std::size_t length) {
        std::vector<std::uint8_t> bytes(length);
        server->read(chip, address, bytes);
        return bytes;
    }

    config::Config config = config::load("small8");
    FakeSlots slots2, slots5;
    std::unique_ptr<tlm::Server> server;
    std::unique_ptr<Wire> wire;
};

// A chip pushes to the other's HBM and window, the other one pulls; each counts in the other's semaphores.
void exchange(tlm::perturb::Seed perturb) {
    Pair pair(perturb);
    const auto pushed = pattern(30'001, 1), pulled = pattern(12'345, 2);
    pair.server->write(2, Source, pushed);
    pair.server->write(5, Source, pulled);
    ChipAccess chip2{*pair.server, 2};
    start(chip2, {.core = 0, .engine = 1, .from = Source, .to = pooled_address(5, Sink), .length = 30'001});
    start(chip2, {.core = 1, .engine = 2, .from = pooled_address(5, Source), .to = Sink, .length = 12'345});
    pair.server->write32(5, start_of(1), 1);
    start(chip2, {.core = 1,
                  .engine = 3,
                  .from = Source,
                  .to = pooled_address(5, addresses::core_window(1) + 0x3000),
                  .length = 5'000,
                  .semaphore = pooled_address(5, semaphore_of(1))});
    const auto result = pair.server->run();
    EXPECT_EQ(result.outcome, Outcome::Done) << result.message;
    EXPECT_EQ(pair.read(5, Sink, 30'001), pushed);
    EXPECT_EQ(pair.read(2, Sink, 12'345), pulled);
    EXPECT_EQ(pair.read(5, addresses::core_window(1) + 0x3000, 5'000),
              std::vector(pushed.begin(), pushed.begin() + 5'000));
    EXPECT_TRUE(pair.server->chip(5).core(1).done());
    const auto& seen = pair.wire->ends[2]->seen;
    EXPECT_FALSE(seen.empty());
    EXPECT_TRUE(std::ranges::all_of(seen, [](std::uint64_t address) { return address >> 48 == 5; }));
    EXPECT_TRUE(pair.wire->ends[5]->seen.empty());
}

TEST(Links, ChipsReachEachOther) {
    exchange({});
}

TEST(Links, PerturbedChipsReachEachOther) {
    exchange(static_cast<std::uint32_t>(seed()));
}

TEST(Links, HostReachesAChipThroughAnother) {
    Pair pair;
    const tlm::Time begin = tlm::now();
    pair.server->write32(2, pooled_address(5, Sink), 0x12345678);
    EXPECT_GE(tlm::now() - begin, 2 * Latency + 4 * pair.config.fabric.latency);
    EXPECT_EQ(pair.server->read32(5, Sink), 0x12345678u);
    EXPECT_EQ(pair.read(2, pooled_address(5, Sink), 1), (std::vector<std::uint8_t>{0x78}));
    pair.server->write32(5, pooled_address(5, Sink + 4), 9);  // to itself, through the link
    EXPECT_EQ(pair.wire->ends[5]->seen, std::vector<std::uint64_t>{5ULL << 48 | (Sink + 4)});
    EXPECT_EQ(pair.server->read32(5, Sink + 4), 9u);
}

std::string refusal(tlm::Server& server, unsigned chip, std::uint64_t address) {
    try {
        server.read32(chip, address);
    } catch (const tlm::SimulationError& error) {
        return error.what();
    }
    return "none";
}

TEST(Links, AddressesThatLeadNowhere) {
    Pair pair;
    const std::string refused = ": TLM_ADDRESS_ERROR_RESPONSE";
    EXPECT_EQ(refusal(*pair.server, 2, pooled_address(6, 0)), "chip 2, access to 0x7000000000000" + refused);
    EXPECT_EQ(refusal(*pair.server, 2, pooled_address(5, 0x500000000)),
              "chip 2, access to 0x6000500000000" + refused)
        << "no memory there";
    EXPECT_EQ(refusal(*pair.server, 2, pooled_address(2, 0x500000000)),
              "chip 2, access to 0x3000500000000" + refused);
    EXPECT_EQ(refusal(*pair.server, 2, 1ULL << 56), "chip 2, access to 0x100000000000000" + refused);
}

TEST(Links, AChipWithoutLinksHasNoOthers) {
    tlm::Server server(config::load("small8"), {{empty_slots(2), {.number = 2, .check_protocol = true}}});
    for (const std::uint64_t address : {pooled_address(5, 0), pooled_address(2, 0), pooled_address(0, 0)})
        EXPECT_NE(refusal(server, 2, address).find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos);
}

TEST(Links, OnlyALinkedChipHasThem) {
    tlm::Server server(config::load("small8"), {{empty_slots(2), {.number = 2}}});
    Wire wire({2});
    EXPECT_THROW(server.chip(2).bind_links(wire.ends[2]->out.socket, wire.ends[2]->in.socket),
                 std::logic_error);
}

}  // namespace
}  // namespace trnsim::test
