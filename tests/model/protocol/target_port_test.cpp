// A model that holds requests off gets none until it accepts, with either kind of transport.
#include "model/protocol/target_port.hpp"

#include <gtest/gtest.h>

#include "model/common/host.hpp"

namespace trnsim::tlm::protocol {
namespace {

constexpr Time Ns = 1'000'000;

// Answers after 3 ns and accepts the next request after 10.
class Slow : public sc_core::sc_module, private TargetModel {
  public:
    explicit Slow(const sc_core::sc_module_name& name) : sc_module(name), port("port", *this) {
        SC_HAS_PROCESS(Slow);
        SC_METHOD(open);
        sensitive << open_;
        dont_initialize();
    }

    TargetPort port;
    std::vector<std::pair<std::uint64_t, Time>> requests;  // address and arrival
    Time answer = 3 * Ns;

  private:
    bool request(Payload& payload, Time at) override {
        EXPECT_FALSE(closed_) << "a request while requests are held off";
        EXPECT_GE(at, now());
        closed_ = true;
        requests.emplace_back(payload.get_address(), at);
        payload.set_response_status(::tlm::TLM_OK_RESPONSE);
        port.respond(payload, at + answer);
        open_.notify(delay_until(at + 10 * Ns));
        return false;
    }
    unsigned debug(Payload&) override { return 0; }
    void open() {
        closed_ = false;
        port.accept(now());
    }

    bool closed_ = false;
    sc_core::sc_event open_;
};

// Threads that make blocking calls, one after the other, from a given time on.
class Callers : public sc_core::sc_module {
  public:
    Callers(const sc_core::sc_module_name& name, std::vector<Time> starts)
        : sc_module(name), socket("socket"), starts_(std::move(starts)) {
        for (std::size_t i = 0; i < starts_.size(); ++i)
            sc_core::sc_spawn([this, i] { call(i); }, ("caller_" + std::to_string(i)).c_str());
    }

    tlm_utils::simple_initiator_socket<Callers> socket;
    std::vector<Time> done;

  private:
    void call(std::size_t i) {
        wait(to_sc(starts_[i]));
        Payload payload;
        payload.set_command(::tlm::TLM_WRITE_COMMAND);
        payload.set_address(100 + i);
        sc_core::sc_time delay = to_sc(Ns);
        socket->b_transport(payload, delay);
        EXPECT_EQ(payload.get_response_status(), ::tlm::TLM_OK_RESPONSE);
        done.push_back(now() + delay.value());
    }

    std::vector<Time> starts_;
};

using Requests = std::vector<std::pair<std::uint64_t, Time>>;

TEST(TargetPort, BlockingRequestsAreHeldOff) {
    Slow slow("slow");
    Callers callers("callers", {0, 2 * Ns, 2 * Ns});
    callers.socket.bind(slow.port.socket);
    sc_core::sc_start();
    EXPECT_EQ(slow.requests, (Requests{{100, Ns}, {101, 11 * Ns}, {102, 21 * Ns}}));
    EXPECT_EQ(callers.done, (std::vector<Time>{4 * Ns, 14 * Ns, 24 * Ns}));
}

// Two initiators at one target, as connected by a fabric. One model cannot have a socket of each kind, so
// both kinds come through one initiator.
class Both : public sc_core::sc_module {
  public:
    explicit Both(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
        socket.register_nb_transport_bw(this, &Both::backward);
        sc_core::sc_spawn([this] { blocking(); }, "blocking");
        sc_core::sc_spawn([this] { other(); }, "other");
    }
    tlm_utils::simple_initiator_socket<Both> socket;
    PayloadPool pool;
    std::vector<std::pair<unsigned, Time>> phases;  // the phases that came back
    Time blocked_until = 0, sent_at = 5 * Ns;
    bool blocking_first = true;

  private:
    void blocking() {
        wait(to_sc(blocking_first ? 0 : 7 * Ns));
        Payload payload;
        payload.set_address(1);
        payload.set_command(::tlm::TLM_READ_COMMAND);
        std::uint8_t byte = 0;
        payload.set_data_ptr(&byte);
        payload.set_data_length(1);
        payload.set_streaming_width(1);
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        blocked_until = now() + delay.value();
    }
    void other() {
        wait(to_sc(sent_at));
        auto& transaction = pool.make(::tlm::TLM_WRITE_COMMAND, 2, 4);
        Phase phase = ::tlm::BEGIN_REQ;
        sc_core::sc_time delay = to_sc(Ns);
        if (socket->nb_transport_fw(transaction, phase, delay) == ::tlm::TLM_UPDATED)
            phases.emplace_back(phase, now() + delay.value());
    }
    Sync backward(Payload& payload, Phase& phase, sc_core::sc_time& delay) {
        phases.emplace_back(phase, now() + delay.value());
        if (phase != ::tlm::BEGIN_RESP) return ::tlm::TLM_ACCEPTED;
        payload.release();
        return ::tlm::TLM_COMPLETED;
    }
};

using Phases = std::vector<std::pair<unsigned, Time>>;

struct System {
    explicit System(bool blocking_first, Time answer = 3 * Ns) {
        slow.answer = answer;
        both.blocking_first = blocking_first;
        both.socket.bind(checker.target);
        checker.initiator.bind(slow.port.socket);
        sc_core::sc_start();
        for (const Violation& violation : checker.violations()) ADD_FAILURE() << violation.text;
        EXPECT_EQ(checker.unfinished(), 0u);
    }
    Both both{"both"};
    Checker checker{"checker"};
    Slow slow{"slow"};
};

TEST(TargetPort, NonblockingRequestsBehindABlockingOneAreHeldOff) {
    System s(true);
    EXPECT_EQ(s.slow.requests, (Requests{{1, 0}, {2, 10 * Ns}}));
    EXPECT_EQ(s.both.phases, (Phases{{::tlm::BEGIN_RESP, 13 * Ns}})) << "which implies END_REQ";
    EXPECT_EQ(s.both.blocked_until, 3 * Ns);
}

TEST(TargetPort, EndReqTellsWhenTheNextRequestMayCome) {
    System s(true, 30 * Ns);
    EXPECT_EQ(s.slow.requests, (Requests{{1, 0}, {2, 10 * Ns}}));
    EXPECT_EQ(s.both.phases, (Phases{{::tlm::END_REQ, 20 * Ns}, {::tlm::BEGIN_RESP, 40 * Ns}}));
    EXPECT_EQ(s.both.blocked_until, 30 * Ns);
}

TEST(TargetPort, BlockingRequestsBehindANonblockingOneAreHeldOff) {
    System s(false);
    EXPECT_EQ(s.slow.requests, (Requests{{2, 6 * Ns}, {1, 16 * Ns}}));
    EXPECT_EQ(s.both.phases, (Phases{{::tlm::BEGIN_RESP, 9 * Ns}}));
    EXPECT_EQ(s.both.blocked_until, 19 * Ns);
}

}  // namespace
}  // namespace trnsim::tlm::protocol
