// The links of a server. Each chip has a host that sends requests, a memory that answers them, and
// base-protocol checkers on every socket.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "arch/addresses/pooled.hpp"
#include "model/common/host.hpp"
#include "model/hbm/stack.hpp"
#include "model/neuronlink/network.hpp"

namespace trnsim::test {

using tlm::Time;
using tlm::neuronlink::Network;
using tlm::neuronlink::NetworkOptions;
using tlm::neuronlink::Parameters;
using tlm::neuronlink::Topology;

constexpr Time Ns = FsPerNs, Us = FsPerUs;
constexpr tlm::hbm::StackTiming LinkMemory{std::uint64_t{64} << 20, 820'000'000'000, 120 * Ns, 60 * Ns};

// Returns an address of another chip as a fabric passes it to the endpoint.
inline std::uint64_t at_chip(unsigned chip, std::uint64_t local) {
    return addresses::pooled_address(chip, local) - addresses::PooledBase;
}

// `Initiator` has a `port` that is bound to the chip's endpoint.
template <typename Initiator>
class LinkBenchOf : public sc_core::sc_module {
  public:
    explicit LinkBenchOf(const sc_core::sc_module_name& name, const Topology& topology,
                         const Parameters& parameters = {}, const NetworkOptions& options = {},
                         const tlm::hbm::StackTiming& memory = LinkMemory)
        : sc_module(name), network("network", topology, parameters, options) {
        for (unsigned chip = 0; chip < topology.chips; ++chip) {
            const std::string number = std::to_string(chip);
            hosts.push_back(std::make_unique<Initiator>(("host_" + number).c_str()));
            memories.push_back(
                std::make_unique<tlm::hbm::Stack>(("memory_" + number).c_str(), memory,
                                                  tlm::perturb::Agent(options.perturb, "memory " + number)));
            auto& endpoint = network.node(chip).endpoint;
            checkers.bind(hosts[chip]->port.socket, endpoint.from_chip.socket);
            checkers.bind(endpoint.to_chip.socket, memories[chip]->port.socket);
        }
    }
    ~LinkBenchOf() override { EXPECT_EQ(checkers.findings(), std::vector<std::string>{}); }

    // Returns the cable between two chips.
    std::size_t cable(unsigned a, unsigned b) const {
        const auto& cables = network.topology().cables;
        for (std::size_t i = 0; i < cables.size(); ++i) {
            if ((cables[i].a.chip == a && cables[i].b.chip == b) ||
                (cables[i].a.chip == b && cables[i].b.chip == a))
                return i;
        }
        ADD_FAILURE() << "no cable between " << a << " and " << b;
        return 0;
    }

    // Returns the wire from one chip to another.
    tlm::neuronlink::Wire& wire(unsigned from, unsigned to) {
        const auto& ends = network.topology().cables[cable(from, to)];
        return network.wire(ends.a.chip == from ? ends.a : ends.b);
    }
    tlm::neuronlink::LinkStatistics link(unsigned from, unsigned to) const {
        const std::size_t number = cable(from, to);
        return network.statistics(number, network.topology().cables[number].a.chip == from);
    }

    Checkers checkers;
    Network network;
    std::vector<std::unique_ptr<Initiator>> hosts;
    std::vector<std::unique_ptr<tlm::hbm::Stack>> memories;
};

class LinkBench : public LinkBenchOf<Host> {
  public:
    using LinkBenchOf::LinkBenchOf;

    Reply read(unsigned from, unsigned to, std::uint64_t local, std::uint32_t length) {
        const auto number = hosts[from]->read(at_chip(to, local), length);
        sc_core::sc_start();
        return hosts[from]->replies.at(number);
    }
    Reply write(unsigned from, unsigned to, std::uint64_t local, const std::vector<std::uint8_t>& data) {
        const auto number = hosts[from]->write(at_chip(to, local), data);
        sc_core::sc_start();
        return hosts[from]->replies.at(number);
    }
    std::vector<std::uint8_t> memory(unsigned chip, std::uint64_t local, std::size_t length) {
        std::vector<std::uint8_t> data(length);
        EXPECT_EQ(hosts[chip]->debug(::tlm::TLM_READ_COMMAND, at_chip(chip, local), data), length);
        return data;
    }
};

}  // namespace trnsim::test
