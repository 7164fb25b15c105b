#include "runtime/communicator/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/collectives/choice.hpp"
#include "compiler/collectives/execute.hpp"

namespace trnsim::test {
namespace {

using collectives::Buffer;
using collectives::Operation;
using tlm::Time;
using tlm::neuronlink::End;

constexpr std::size_t In = static_cast<std::size_t>(Buffer::Input),
                      Out = static_cast<std::size_t>(Buffer::Output);
constexpr std::uint64_t OutputOffset = 1ULL << 20;
constexpr std::uint64_t OwnBytes = 64ULL << 10;  // scratch, rings, descriptors at the end of a region
constexpr std::array Dtypes{isa::Dtype::Fp32, isa::Dtype::Bf16, isa::Dtype::Fp16, isa::Dtype::I32,
                            isa::Dtype::U8};
constexpr std::array Operations{Operation::AllReduce, Operation::AllGather, Operation::ReduceScatter,
                                Operation::AllToAll,  Operation::Broadcast, Operation::Permute};

}  // namespace

void Tally::add(const Tally& other) {
    strikes += other.strikes;
    collectives += other.collectives;
    for (std::size_t i = 0; i < Outcomes; ++i) ended[i] += other.ended[i];
}

Campaign::Campaign(tlm::LinkedServer& server)
    : server_(server),
      communicator_(server, communicator::first_cores(
                                server.description(),
                                static_cast<std::uint32_t>(server.description().chips() *
                                                           server.description().slots[0].size()))) {}

Outcome Campaign::strike(const std::vector<Kind>& kinds, std::uint64_t collective) {
    random_.seed(collective);
    draw_collective();
    fill_memories();
    const Time undisturbed = communicator_.run();
    if (!outputs_are_right()) complain("a wrong result without a fault");
    fill_memories();
    for (const Kind kind : kinds) plan(kind, undisturbed);
    const Counts before = counts();
    set_alarm();
    try {
        communicator_.run();
    } catch (const communicator::Failure& failure) {
        healthy_ = false;
        const std::string message = failure.what();
        if (message.empty() || message.find('\n') != std::string::npos) complain("message '" + message + "'");
        if (failure.status == Status::ExecCollectives) return Outcome::Collectives;
        if (failure.status == Status::ExecHbmUncorrectable) return Outcome::HbmUncorrectable;
        complain(message);
        return Outcome::Other;
    }
    const bool right = outputs_are_right();
    const Counts after = counts();
    heal();
    if (!right) {
        healthy_ = false;
        return Outcome::Wrong;
    }
    if (after.rerouted != before.rerouted) return Outcome::Rerouted;
    if (after.repeated != before.repeated) return Outcome::Repeated;
    return after.corrected != before.corrected ? Outcome::Corrected : Outcome::Unharmed;
}

void Campaign::draw_collective() {
    collectives::Request request{.operation = Operations[draw(Operations.size())],
                                 .dtype = Dtypes[draw(Dtypes.size())],
                                 .count = 1 + draw(draw(4) == 0 ? 4000 : 300),
                                 .ranks = communicator_.ranks()};
    request.stochastic = reduces(request.operation) && draw(3) == 0;
    request.root = static_cast<std::uint32_t>(draw(request.ranks));
    if (request.operation == Operation::Permute) {
        const auto by = static_cast<std::uint32_t>(1 + draw(request.ranks - 1));
        for (std::uint32_t rank = 0; rank < request.ranks; ++rank)
            request.pairs.emplace_back(rank, (rank + by) % request.ranks);
    }
    const auto all = collectives::algorithms(request.operation);
    std::vector<collectives::Algorithm> algorithms(all.begin(), all.end());
    std::erase(algorithms, collectives::Algorithm::Hierarchical);
    buffers_ = {};
    for (std::uint32_t rank = 0; rank < request.ranks; ++rank) {
        const std::uint64_t base = communicator_.region(rank).base + draw(64);
        buffers_.input.push_back(base);
        buffers_.output.push_back(base + OutputOffset);
    }
    rounding_seed_ = static_cast<std::uint32_t>(random_());
    communicator_.prepare(
        request, buffers_,
        {.algorithm = algorithms[draw(algorithms.size())], .rounding_seed = rounding_seed_});
}

void Campaign::fill_memories() {
    auto memories = collectives::make_memories(communicator_.schedule(), 0);
    expected_.clear();
    for (std::uint32_t rank = 0; rank < communicator_.ranks(); ++rank) {
        for (const std::size_t buffer : {In, Out}) {
            std::vector<std::uint8_t>& bytes = memories[rank][buffer];
            for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_());
            const auto& at = buffer == In ? buffers_.input : buffers_.output;
            if (!bytes.empty()) communicator_.write(rank, at[rank], bytes);
        }
    }
    collectives::execute(communicator_.schedule(), memories, {.rounding_seed = rounding_seed_});
    for (const collectives::Memory& memory : memories) expected_.push_back(memory[Out]);
}

bool Campaign::outputs_are_right() {
    for (std::uint32_t rank = 0; rank < communicator_.ranks(); ++rank) {
        if (communicator_.read(rank, buffers_.output[rank], expected_[rank].size()) != expected_[rank])
            return false;
    }
    return true;
}

void Campaign::plan(Kind kind, Time longest) {
    tlm::neuronlink::Network& network = server_.network();
    const std::size_t cable = draw(network.topology().cables.size());
    const tlm::neuronlink::Cable ends = network.topology().cables[cable];
    const End from = draw(2) == 0 ? ends.a : ends.b;
    const Time at = tlm::now() + draw(longest);
    const std::uint64_t number = random_();
    const auto later = [this](Time time, std::function<void()> what) {
        strikes_.emplace(time, std::move(what));
    };
    switch (kind) {
        case Kind::WrongBits:
            later(at, [&network, from, number] {
                tlm::neuronlink::Faults& faults = network.wire(from).faults();
                std::vector<std::uint64_t> bits{number % 9973};
                for (std::uint64_t i = 0; i < number % 3; ++i) bits.push_back(bits.back() + 1 + number % 97);
                faults.damage(faults.frames(), bits);
            });
            return;
        case Kind::LostFrame:
            later(at, [&network, from] {
                tlm::neuronlink::Faults& faults = network.wire(from).faults();
                faults.drop(faults.frames());
            });
            return;
        case Kind::Lanes: {
            const std::uint64_t lanes = server_.description().links.lanes;
            later(at, [&network, from, lanes, number] {
                network.wire(from).set_lanes(lanes / 4 + number % (lanes * 3 / 4));
            });
            return;
        }
        case Kind::ShortCut:
            later(at, [&network, cable] { network.cut(cable); });
            later(at + 1 + number % (server_.description().links.give_up_time * 9 / 10),
                  [&network, cable] { network.restore(cable); });
            return;
        case Kind::LongCut:
            later(at, [this, &network, cable, number] {
                network.cut(cable, number % 2 == 0);
                ++ways_;
            });
            return;
        case Kind::LostChip:
            later(at, [this, &network, chip = number % server_.description().chips()] {
                for (std::size_t i = 0; i < network.topology().cables.size(); ++i) {
                    const tlm::neuronlink::Cable& one = network.topology().cables[i];
                    if (one.a.chip == chip || one.b.chip == chip) network.cut(i, true);
                }
                ++ways_;
            });
            return;
        case Kind::OneBit:
        case Kind::TwoBits:
            later(at, [this, kind] { strike_hbm(kind == Kind::OneBit ? 1 : 2); });
            return;
    }
}

// Strikes a word of a buffer, or of the communicator's data at the end of the region. A word is struck once.
void Campaign::strike_hbm(unsigned bits) {
    using tlm::hbm::WordBytes;
    healthy_ = false;
    const auto rank = static_cast<std::uint32_t>(draw(communicator_.ranks()));
    const std::uint64_t bytes = std::max<std::uint64_t>(expected_[rank].size(), WordBytes);
    const std::array<std::uint64_t, 3> places{buffers_.input[rank] + draw(bytes),
                                              buffers_.output[rank] + draw(bytes),
                                              communicator_.region(rank).end() - 1 - draw(OwnBytes)};
    const std::uint64_t address = places[draw(places.size())] / WordBytes * WordBytes;
    const auto first = static_cast<unsigned>(draw(tlm::hbm::StoredBits));
    const auto apart = static_cast<unsigned>(1 + draw(tlm::hbm::StoredBits - 1));
    tlm::hbm::CodeWord word = tlm::hbm::stored_bit(first);
    if (bits == 2) word = word ^ tlm::hbm::stored_bit((first + apart) % tlm::hbm::StoredBits);
    if (!struck_.insert({communicator_.core(rank).chip, address}).second) return;
    if (!server_.server().chip(communicator_.core(rank).chip).inject(address, word))
        complain("this model of HBM has no words");
}

void Campaign::set_alarm() {
    if (!strikes_.empty()) alarm_.notify(tlm::delay_until(strikes_.begin()->first));
}

void Campaign::ring() {
    while (!strikes_.empty() && strikes_.begin()->first <= tlm::now()) {
        const auto what = std::move(strikes_.begin()->second);
        strikes_.erase(strikes_.begin());
        what();
    }
    set_alarm();
}

Campaign::Counts Campaign::counts() {
    Counts counts{.rerouted = ways_};
    for (unsigned chip = 0; chip < server_.description().chips(); ++chip) {
        for (const tlm::DramStatistics& dram : server_.server().chip(chip).statistics().dram)
            counts.corrected += dram.corrected;
    }
    for (std::size_t cable = 0; cable < server_.network().topology().cables.size(); ++cable) {
        for (const bool from_a : {true, false})
            counts.repeated += server_.network().statistics(cable, from_a).sent.retries;
    }
    return counts;
}

// Waits for the strikes that are still planned; then ends all faults of links.
void Campaign::heal() {
    tlm::neuronlink::Network& network = server_.network();
    const auto pass = [this] { server_.server().advance(server_.description().links.training_time); };
    while (!strikes_.empty()) pass();
    for (std::size_t cable = 0; cable < network.topology().cables.size(); ++cable) {
        const tlm::neuronlink::Cable& ends = network.topology().cables[cable];
        for (const End end : {ends.a, ends.b}) network.wire(end).set_lanes(server_.description().links.lanes);
        network.restore(cable);
    }
    const auto whole = [&network] {
        for (std::size_t cable = 0; cable < network.topology().cables.size(); ++cable)
            if (!network.usable(cable)) return false;
        return network.idle();
    };
    for (unsigned tries = 0; !whole(); ++tries) {
        if (tries == 1000) {
            complain("links are not whole when faults are over");
            healthy_ = false;
            return;
        }
        pass();
    }
}

void Campaign::complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = what;
}

}  // namespace trnsim::test
