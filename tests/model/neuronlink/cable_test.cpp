// The two ends of a cable exchange only frames, once in each window as long as the latency of the link: all
// times are those of two ends in one process.
#include "model/neuronlink/cable.hpp"

#include <gtest/gtest.h>

#include "common/random.hpp"
#include "model/neuronlink/bench.hpp"

namespace trnsim::tlm::neuronlink {
namespace {

using test::LinkBench;
using test::Ns;

// Keeps frames until the end of the window in which they were sent.
class WindowedCable : public sc_core::sc_module, public CableEnd {
  public:
    WindowedCable(const sc_core::sc_module_name& name, FrameTarget& target, Time window)
        : sc_module(name), target_(target), window_(window) {
        SC_HAS_PROCESS(WindowedCable);
        SC_METHOD(hand_over);
        sensitive << end_;
        dont_initialize();
    }
    void send(Frame frame, Time at) override {
        EXPECT_GE(at, now() + window_);
        if (sent_.empty()) end_.notify(delay_until((now() / window_ + 1) * window_));
        sent_.push_back({std::move(frame), at});
    }
    unsigned most = 0;  // the most frames of one window

  private:
    struct Sent {
        Frame frame;
        Time at;
    };
    void hand_over() {
        most = std::max(most, static_cast<unsigned>(sent_.size()));
        for (Sent& sent : sent_) {
            EXPECT_GE(sent.at, now());
            target_.receive(std::move(sent.frame), sent.at);
        }
        sent_.clear();
    }

    FrameTarget& target_;
    Time window_;
    std::vector<Sent> sent_;
    sc_core::sc_event end_;
};

class Owner : public NodeOwner {
  public:
    void usable(End, bool) override { ADD_FAILURE() << "a link changed"; }
    void report(const std::string& line) override { ADD_FAILURE() << line; }
    unsigned debug(unsigned, Payload&) override { return 0; }
};

TEST(LinkCable, WindowsOfTheLatencyChangeNothing) {
    const Parameters parameters{.buffer = 150};
    LinkBench together("together", chain(2), parameters);

    Owner owner;
    const Topology pair = chain(2);
    std::vector<Table> tables = dimension_order(pair);
    Node left("left", 0, parameters, tables[0], owner), right("right", 1, parameters, tables[1], owner);
    WindowedCable to_right("to_right", right.port(pair.cables[0].b.port), parameters.latency);
    WindowedCable to_left("to_left", left.port(pair.cables[0].a.port), parameters.latency);
    left.port(pair.cables[0].a.port).connect(to_right);
    right.port(pair.cables[0].b.port).connect(to_left);
    test::Host left_host("left_host"), right_host("right_host");
    hbm::Stack left_memory("left_memory", test::LinkMemory), right_memory("right_memory", test::LinkMemory);
    test::Checkers checkers;
    checkers.bind(left_host.port.socket, left.endpoint.from_chip.socket);
    checkers.bind(right_host.port.socket, right.endpoint.from_chip.socket);
    checkers.bind(left.endpoint.to_chip.socket, left_memory.port.socket);
    checkers.bind(right.endpoint.to_chip.socket, right_memory.port.socket);
    test::elaborate();

    for (Wire* wire : {&together.wire(0, 1), &left.port(pair.cables[0].a.port).wire()})
        wire->faults().set_rates({.bit_errors = 1e-6, .drops = 0.01, .seed = 3});
    auto random = test::generator();
    for (unsigned i = 0; i < 400; ++i) {
        const Time at = random() % (30'000 * Ns);
        const auto bytes = static_cast<std::uint32_t>(1 + random() % 6000);
        const std::uint64_t local = random() % (1 << 24);
        const bool write = random() % 2 == 0;
        const auto data = test::pattern(bytes, i);
        const unsigned from = i % 2;
        for (test::Host* host : {together.hosts[from].get(), from == 0 ? &left_host : &right_host}) {
            const std::uint64_t address = test::at_chip(1 - from, local);
            write ? host->write(address, data, at) : host->read(address, bytes, at);
        }
    }
    sc_core::sc_start();
    const auto compare = [](const test::Host& a, const test::Host& b) {
        ASSERT_EQ(a.replies.size(), 200u);
        ASSERT_EQ(b.replies.size(), 200u);
        for (const auto& [number, reply] : a.replies) {
            EXPECT_EQ(reply.status, ::tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(b.replies.at(number).at, reply.at);
            EXPECT_EQ(b.replies.at(number).data, reply.data);
        }
    };
    compare(*together.hosts[0], left_host);
    compare(*together.hosts[1], right_host);
    EXPECT_GT(together.link(0, 1).sent.retries, 0u);
    EXPECT_GT(to_right.most, 1u);
    EXPECT_EQ(checkers.findings(), std::vector<std::string>{});
}

}  // namespace
}  // namespace trnsim::tlm::neuronlink
