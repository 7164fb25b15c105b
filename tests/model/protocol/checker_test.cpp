// Every rule is broken once and must be reported; a clean four-phase exchange in each of its forms must not
// be.
#include "model/protocol/checker.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "model/protocol/payload_pool.hpp"

namespace trnsim::tlm::protocol {
namespace {

using ::tlm::BEGIN_REQ;
using ::tlm::BEGIN_RESP;
using ::tlm::END_REQ;
using ::tlm::END_RESP;

// Both ends of a connection; a test scripts their calls and answers.
class Ends : public sc_core::sc_module {
  public:
    explicit Ends(const sc_core::sc_module_name& name)
        : sc_module(name), initiator("initiator"), target("target"), checker("checker") {
        initiator.register_nb_transport_bw(this, &Ends::backward);
        target.register_nb_transport_fw(this, &Ends::forward);
        target.register_b_transport(this, &Ends::blocking);
        target.register_transport_dbg(this, &Ends::debug);
        initiator.bind(checker.target);
        checker.initiator.bind(target);
    }

    tlm_utils::simple_initiator_socket<Ends> initiator;
    tlm_utils::simple_target_socket<Ends> target;
    Checker checker;
    PayloadPool pool;

    Sync answer = ::tlm::TLM_ACCEPTED;  // the answer of the other end,
    Phase answer_phase;                 // the phase that it sets with TLM_UPDATED,
    Time answer_delay = 0;              // and the time that it adds to the delay
    std::function<void(Payload&, sc_core::sc_time&)> on_blocking = [](Payload& p, sc_core::sc_time&) {
        p.set_response_status(::tlm::TLM_OK_RESPONSE);
    };
    std::function<unsigned(Payload&)> on_debug = [](Payload& p) { return p.get_data_length(); };

    Transaction& request() { return pool.make(::tlm::TLM_WRITE_COMMAND, 0x1000, 64); }

    void fw(Payload& payload, Phase phase, Time delay = 0) {
        sc_core::sc_time t = to_sc(delay);
        initiator->nb_transport_fw(payload, phase, t);
        answer = ::tlm::TLM_ACCEPTED;
    }
    void bw(Payload& payload, Phase phase, Time delay = 0) {
        sc_core::sc_time t = to_sc(delay);
        target->nb_transport_bw(payload, phase, t);
        answer = ::tlm::TLM_ACCEPTED;
    }
    void fw_updated(Payload& payload, Phase phase, Phase to) {
        answer = ::tlm::TLM_UPDATED;
        answer_phase = to;
        fw(payload, phase);
    }
    void call_blocking(Payload& payload) {
        sc_core::sc_time t = to_sc(1000);
        initiator->b_transport(payload, t);
    }

    // Returns the broken rules, in order.
    std::vector<Rule> rules() const {
        std::vector<Rule> found;
        for (const Violation& violation : checker.violations()) found.push_back(violation.rule);
        return found;
    }

  private:
    Sync reply(Phase& phase, sc_core::sc_time& delay) {
        if (answer == ::tlm::TLM_UPDATED) phase = answer_phase;
        delay += to_sc(answer_delay);
        return answer;
    }
    Sync forward(Payload&, Phase& phase, sc_core::sc_time& delay) { return reply(phase, delay); }
    Sync backward(Payload&, Phase& phase, sc_core::sc_time& delay) { return reply(phase, delay); }
    void blocking(Payload& payload, sc_core::sc_time& delay) { on_blocking(payload, delay); }
    unsigned debug(Payload& payload) { return on_debug(payload); }
};

void ok(Payload& payload) {
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
}

TEST(Checker, AcceptsTheFourPhases) {
    Ends e("e");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    auto& a = e.request();
    auto& b = e.request();
    e.fw(a, BEGIN_REQ, 5);
    e.bw(a, END_REQ, 6);
    e.fw(b, BEGIN_REQ, 6);
    ok(a);
    e.bw(a, BEGIN_RESP, 7);
    e.bw(b, END_REQ, 7);
    e.fw(a, END_RESP, 8);
    ok(b);
    e.bw(b, BEGIN_RESP, 9);
    e.answer = ::tlm::TLM_COMPLETED;
    e.fw(b, END_RESP, 9);
    EXPECT_EQ(e.checker.violations().size(), 0u);
    EXPECT_EQ(e.checker.unfinished(), 0u);
    EXPECT_EQ(e.checker.checked(), 2u);
}

TEST(Checker, AcceptsEveryShortForm) {
    Ends e("e");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    auto& early = e.request();
    e.call_blocking(early);
    auto& updated = e.request();
    e.fw_updated(updated, BEGIN_REQ, END_REQ);
    ok(updated);
    e.answer = ::tlm::TLM_COMPLETED;
    e.bw(updated, BEGIN_RESP);
    auto& implied = e.request();
    e.fw(implied, BEGIN_REQ);
    ok(implied);
    e.answer = ::tlm::TLM_UPDATED;
    e.answer_phase = END_RESP;
    e.bw(implied, BEGIN_RESP);
    EXPECT_EQ(e.checker.violations().size(), 0u);
    EXPECT_EQ(e.checker.unfinished(), 0u);
}

struct Broken {
    const char* name;
    Rule rule;
    void (*script)(Ends&);
};

const Broken Cases[] = {
    {"EndRequestForward", Rule::PhaseDirection, [](Ends& e) { e.fw(e.request(), END_REQ); }},
    {"BeginRequestBackward", Rule::PhaseDirection, [](Ends& e) { e.bw(e.request(), BEGIN_REQ); }},
    {"UnknownPhase", Rule::PhaseDirection, [](Ends& e) { e.fw(e.request(), Phase(77)); }},
    {"EndResponseFirst", Rule::PhaseOrder, [](Ends& e) { e.fw(e.request(), END_RESP); }},
    {"ResponseWithoutRequest", Rule::PhaseOrder, [](Ends& e) { e.bw(e.request(), BEGIN_RESP); }},
    {"EndRequestTwice", Rule::PhaseOrder,
     [](Ends& e) {
         auto& t = e.request();
         e.fw(t, BEGIN_REQ);
         e.bw(t, END_REQ);
         e.bw(t, END_REQ);
     }},
    {"BeginRequestTwice", Rule::PhaseOrder,
     [](Ends& e) {
         auto& t = e.request();
         e.fw(t, BEGIN_REQ);
         e.fw(t, BEGIN_REQ);
     }},
    {"EndRequestAfterResponse", Rule::PhaseOrder,
     [](Ends& e) {
         auto& t = e.request();
         e.fw(t, BEGIN_REQ);
         ok(t);
         e.bw(t, BEGIN_RESP);
         e.bw(t, END_REQ);
     }},
    {"UpdatedToTheSamePhase", Rule::ReturnValue,
     [](Ends& e) { e.fw_updated(e.request(), BEGIN_REQ, BEGIN_REQ); }},
    {"EndRequestCompleted", Rule::ReturnValue,
     [](Ends& e) {
         auto& t = e.request();
         e.fw(t, BEGIN_REQ);
         e.answer = ::tlm::TLM_COMPLETED;
         e.bw(t, END_REQ);
     }},
    {"RequestInRequest", Rule::RequestExclusion,
     [](Ends& e) {
         e.fw(e.request(), BEGIN_REQ);
         e.fw(e.request(), BEGIN_REQ);
     }},
    {"ResponseInResponse", Rule::ResponseExclusion,
     [](Ends& e) {
         auto& a = e.request();
         auto& b = e.request();
         e.fw_updated(a, BEGIN_REQ, END_REQ);
         e.fw_updated(b, BEGIN_REQ, END_REQ);
         ok(a);
         ok(b);
         e.bw(a, BEGIN_RESP);
         e.bw(b, BEGIN_RESP);
     }},
    {"NoMemoryManager", Rule::MemoryManager,
     [](Ends& e) {
         auto& t = e.request();
         t.set_mm(nullptr);
         e.fw(t, BEGIN_REQ);
     }},
    {"StatusAlreadySet", Rule::RequestStatus,
     [](Ends& e) {
         auto& t = e.request();
         ok(t);
         e.fw(t, BEGIN_REQ);
     }},
    {"ResponseWithoutStatus", Rule::ResponseStatus,
     [](Ends& e) {
         auto& t = e.request();
         e.fw_updated(t, BEGIN_REQ, END_REQ);
         e.bw(t, BEGIN_RESP);
     }},
    {"CompletedWithoutStatus", Rule::ResponseStatus,
     [](Ends& e) {
         e.answer = ::tlm::TLM_COMPLETED;
         e.fw(e.request(), BEGIN_REQ);
     }},
    {"BlockingWithoutStatus", Rule::ResponseStatus,
     [](Ends& e) {
         e.on_blocking = [](Payload&, sc_core::sc_time&) {};
         e.call_blocking(e.request());
     }},
    {"NoDataPointer", Rule::Data,
     [](Ends& e) {
         auto& t = e.request();
         t.set_data_ptr(nullptr);
         e.fw(t, BEGIN_REQ);
     }},
    {"NoLength", Rule::Data,
     [](Ends& e) {
         auto& t = e.request();
         t.set_data_length(0);
         e.call_blocking(t);
     }},
    {"ByteEnableValue", Rule::ByteEnables,
     [](Ends& e) {
         static unsigned char enables[] = {0xff, 0x01};
         auto& t = e.request();
         t.set_byte_enable_ptr(enables);
         t.set_byte_enable_length(2);
         e.fw(t, BEGIN_REQ);
     }},
    {"ByteEnableLength", Rule::ByteEnables,
     [](Ends& e) {
         static unsigned char enables[] = {0xff};
         auto& t = e.request();
         t.set_byte_enable_ptr(enables);
         e.fw(t, BEGIN_REQ);
     }},
    {"StreamingWidth", Rule::StreamingWidth,
     [](Ends& e) {
         auto& t = e.request();
         t.set_streaming_width(0);
         e.fw(t, BEGIN_REQ);
     }},
    {"DmiHint", Rule::DmiHint,
     [](Ends& e) {
         auto& t = e.request();
         t.set_dmi_allowed(true);
         e.fw(t, BEGIN_REQ);
     }},
    {"LengthChanged", Rule::Attributes,
     [](Ends& e) {
         auto& t = e.request();
         e.fw_updated(t, BEGIN_REQ, END_REQ);
         ok(t);
         t.set_data_length(32);
         e.bw(t, BEGIN_RESP);
     }},
    {"CommandChangedBlocking", Rule::Attributes,
     [](Ends& e) {
         e.on_blocking = [](Payload& p, sc_core::sc_time&) {
             p.set_read();
             ok(p);
         };
         e.call_blocking(e.request());
     }},
    {"PhaseTimeBackwards", Rule::Timing,
     [](Ends& e) {
         auto& t = e.request();
         e.fw(t, BEGIN_REQ, 1000);
         e.bw(t, END_REQ, 999);
     }},
    {"BlockingTimeBackwards", Rule::Timing,
     [](Ends& e) {
         e.on_blocking = [](Payload& p, sc_core::sc_time& t) {
             t = sc_core::SC_ZERO_TIME;
             ok(p);
         };
         e.call_blocking(e.request());
     }},
    {"DebugCount", Rule::DebugCount,
     [](Ends& e) {
         e.on_debug = [](Payload& p) { return p.get_data_length() + 1; };
         e.initiator->transport_dbg(e.request());
     }},
};

class BrokenRule : public testing::TestWithParam<Broken> {};

TEST_P(BrokenRule, IsReportedOnce) {
    Ends e("e");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    GetParam().script(e);
    EXPECT_EQ(e.rules(), std::vector<Rule>{GetParam().rule});
    ASSERT_FALSE(e.checker.violations().empty());
    const std::string text = e.checker.violations()[0].text;
    EXPECT_NE(text.find("e.checker at "), std::string::npos) << text;
    EXPECT_NE(text.find(describe(GetParam().rule)), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Cases, BrokenRule, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Broken>& info) { return info.param.name; });

TEST(Checker, CountsUnfinished) {
    Ends e("e");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    e.fw(e.request(), BEGIN_REQ);
    EXPECT_EQ(e.checker.unfinished(), 1u);
}

}  // namespace
}  // namespace trnsim::tlm::protocol
