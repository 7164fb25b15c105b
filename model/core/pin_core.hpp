// A cycle-level core in the SystemC system: clock, bus translation, statistics and trace around a CoreModel.
//
// The clock runs on an exact grid (core_clock.hpp). It stops while the core is idle and no access waits for
// it, and resumes at the first grid cycle after something arrives; simulated time and the cycle count go on.
// Several cycles run in one SystemC activation as long as nothing else happens meanwhile; what a cycle sends
// carries its time as annotation. The core can see an access that arrives at t from the first bus tick after
// t, whatever the order of processes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arch/checkpoint/shape.hpp"
#include "arch/config/config.hpp"
#include "model/core/axi_port.hpp"
#include "model/core/core.hpp"
#include "model/core/core_clock.hpp"
#include "model/core/manager_port.hpp"
#include "model/core/memory_watch.hpp"
#include "model/core/table_port.hpp"
#include "model/protocol/alarm.hpp"

namespace trnsim::tlm {

class PinCore : public Core, private protocol::TargetModel {
  public:
    // `later` is the model to go on with after switch_model(); may be null.
    PinCore(const sc_core::sc_module_name& name, const CoreSetup& setup, std::unique_ptr<CoreModel> model,
            std::unique_ptr<CoreModel> later = nullptr);
    ~PinCore() override;

    protocol::TargetPort window;
    ManagerPort manager;
    TablePort tables;  // reads tables of activation functions

    protocol::TargetPort& window_port() override { return window; }
    protocol::InitiatorPort& manager_port() override { return manager.port; }
    protocol::InitiatorPort& table_port() override { return tables.port; }

    CoreInfo info() const override { return model_->info(); }
    bool error() const override { return model_->out.error; }
    bool done() const override;
    bool unused() const override;
    bool stopped() const { return stopped_; }
    // Counts instructions issued and completed, and accesses answered.
    std::uint64_t progress() const override { return progress_; }
    std::string state() const override;
    CoreStatistics statistics() const override;

    void halt() override { halting_ = true; }
    bool quiet() const override;
    void restart() override;
    bool quiescent() const override;
    checkpoint::CoreState save() const override { return model_->save(); }
    void load(const checkpoint::CoreState& state) override;
    void switch_model() override;
    void resume() override { halting_ = false; }
    Time reached() const override { return clock_.time(); }
    bool waits_for_memory() const override { return manager.waits_for_memory() || tables.waits_for_memory(); }

    void observe_gpsimd(GpsimdObserver* observer) override { model_->observe_gpsimd(observer); }
    void debug_gpsimd(GpsimdDebugger& debugger) override { model_->debug_gpsimd(debugger); }
    void watch(MemoryWatch* watch) override { watch_ = watch; }

    void record_wave(const std::string& path, std::span<const std::string> scopes, std::uint64_t first,
                     std::uint64_t last) override;
    std::string close_wave() override;

  private:
    struct Issued {
        std::uint32_t pc;
        std::uint64_t cycle;
        Time time;
    };
    struct Recording {
        std::uint64_t first, last;
        bool dumped = false;
    };
    // The recording of a model that does not work yet.
    struct LaterRecording {
        std::string path;
        std::vector<std::string> scopes;
        Recording window;
    };

    // The stalls of a perturbed core (HoldIn).
    struct Holds {
        std::array<perturb::Stall, Engines> issue, done;
        std::array<perturb::Stall, HeldArbiters> arbiter;
        std::array<perturb::Stall, HeldPorts> port;
        perturb::Choice port_of;  // chooses the subordinate port for an access
    };

    bool request(Payload& payload, Time at) override;
    unsigned debug(Payload& payload) override;
    std::size_t choose_port(bool write);
    void make_holds(std::uint32_t seed);
    void hold();
    void reset();
    void activate();
    void cycle();
    void observe();
    bool rest();
    void wake(Time at);
    void end_wave();
    void count(CoreStatistics& statistics, std::uint64_t cycles) const;
    void finish(Payload& payload);
    void begin(const checkpoint::CoreState& state);

    std::unique_ptr<CoreModel> model_, later_;
    checkpoint::Shape shape_;
    // Counts of the earlier model, if there was one.
    MemoryCounts memories_before_;
    EngineCounters engines_before_;
    GpsimdCounters gpsimd_before_;
    CoreClock clock_;
    std::array<config::Ratio, Engines> ratios_;  // engine clocks to the core's
    std::uint64_t clock_pattern_;                // cycles after which the edges of all clocks repeat
    std::uint64_t steps_ = 0;                    // cycles evaluated since the core was built
    trace::Sink* sink_;
    std::function<void()> on_stop_;
    protocol::Alarm clock_edge_{[this] { activate(); }};
    std::vector<AxiPort> ports_;
    std::vector<bool> driven_;  // ports that may have inputs set
    bool stopped_ = true;
    bool halting_ = false;
    bool sent_ = false;    // this cycle sent something to the system
    bool failed_ = false;  // the error pin has been reported
    std::uint64_t progress_ = 0;
    CoreStatistics statistics_;
    std::array<std::deque<Issued>, Engines> issued_;
    MemoryWatch* watch_ = nullptr;
    std::optional<Recording> wave_;
    std::optional<LaterRecording> later_wave_;
    std::string wave_failure_;
    std::optional<Holds> holds_;  // no value: nothing is perturbed
};

// Makes the core around this model, which goes on with `later` after switch_model(). To be called once.
CoreFactory core_of(std::unique_ptr<CoreModel> model, std::unique_ptr<CoreModel> later = nullptr);

}  // namespace trnsim::tlm
