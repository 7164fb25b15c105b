#include "tools/bench/hbm_benchmarks.hpp"

#include <chrono>
#include <functional>

#include "arch/config/config.hpp"
#include "model/hbm/banked_stack.hpp"
#include "model/hbm/stack.hpp"
#include "model/protocol/initiator_port.hpp"
#include "model/protocol/payload_pool.hpp"

namespace trnsim::bench {
namespace {

// The number of reads under way that keeps a stack near its bandwidth with the shortest reads: bandwidth
// times latency, divided by 64 B. With fewer reads the stack waits for the reader.
constexpr unsigned UnderWay = 1024;

// Keeps reads under way until it has been told to stop.
class Reader : public sc_core::sc_module {
  public:
    Reader(const sc_core::sc_module_name& name, std::uint32_t length, std::function<std::uint64_t()> address)
        : sc_module(name),
          port("port", [this](auto&, tlm::Time at) { answered(at); }),
          length_(length),
          address_(std::move(address)) {}

    tlm::protocol::InitiatorPort port;

    // Returns bytes a second of wall time until `count` reads are answered.
    double rate(std::uint64_t count) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        left_ = count;
        for (unsigned i = 0; i < UnderWay; ++i) send(tlm::now());
        sc_core::sc_start();
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        return static_cast<double>(count * length_) / seconds;
    }

  private:
    void send(tlm::Time at) {
        if (left_ == 0) return;
        --left_;
        port.send(pool_.make(::tlm::TLM_READ_COMMAND, address_(), length_), at);
    }
    void answered(tlm::Time at) { send(at); }

    tlm::protocol::PayloadPool pool_;
    std::uint32_t length_;
    std::function<std::uint64_t()> address_;
    std::uint64_t left_ = 0;
};

Figure measure(std::uint32_t length, std::uint64_t count, const std::function<std::uint64_t()>& address) {
    constexpr double Giga = 1e9;
    tlm::use_femtoseconds();
    config::Hbm hbm = config::load("trn1").hbm;
    const tlm::hbm::StackTiming timing{hbm.capacity, hbm.bandwidth / hbm.stacks, hbm.read_latency,
                                       hbm.write_latency};
    tlm::hbm::Stack simple("simple", timing);
    tlm::hbm::BankedStack banked("banked", hbm);
    Reader of_simple("of_simple", length, address), of_banked("of_banked", length, address);
    of_simple.port.socket.bind(simple.port.socket);
    of_banked.port.socket.bind(banked.port.socket);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Figure figure;
    figure.reference = of_simple.rate(count) / Giga;
    figure.value = of_banked.rate(count) / Giga;
    return figure;
}

Figure measure_stream(std::uint32_t length) {
    constexpr std::uint64_t Bytes = 256ULL << 20, Window = 64ULL << 20;
    std::uint64_t next = 0;
    return measure(length, Bytes / length, [&] {
        next += length;
        return next % Window;
    });
}

}  // namespace

Figure measure_hbm_64(const Environment&) {
    constexpr double Millions = 1e9 / 64 / 1e6;  // millions of requests in a GB
    const Figure figure = measure_stream(64);
    return {figure.value * Millions, figure.reference * Millions};
}

Figure measure_hbm_512(const Environment&) {
    return measure_stream(512);
}

Figure measure_hbm_4096(const Environment&) {
    return measure_stream(4096);
}

Figure measure_hbm_gather(const Environment&) {
    tlm::perturb::Stream random(1, "gather");
    return measure(64, 500'000, [&] { return random.next() % (1ULL << 28) * 64; });
}

}  // namespace trnsim::bench
