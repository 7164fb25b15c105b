// The verilated core with the interface of CoreModel. It is compiled once for every RTL configuration, into a
// shared object with the model.
#include <verilated.h>
#include <verilated_fst_c.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "Vneuron_core.h"
#include "Vneuron_core___024root.h"
#include "cfg_parameters.hpp"
#include "isa/core_window.hpp"
#include "isa/isa_tables.hpp"
#include "model/core/core_model.hpp"
#include "model/core/rtl/gpsimd_cores.hpp"
#include "model/core/rtl/lower_rows.hpp"
#include "model/core/rtl/verilated_coverage.hpp"
#include "model/core/rtl/verilated_state.hpp"
#include "model/fst/flush.hpp"
#include "model/fst/write_failure.hpp"
#include "rtl_hash.hpp"

namespace trnsim::tlm {
namespace {

constexpr int Ports = cfg::AxiPorts;
constexpr std::size_t BeatBytes = cfg::AxiDataWidth / 8;
constexpr std::uint32_t SbufStride = isa::sbuf_partition_stride(cfg::Lanes);

constexpr int AllLevels = 99;

// The model of the lower blocks of the array, below the module that stands for them in the core's model.
constexpr const char* LowerScope =
    "core.neuron_core.u_engines.g_slot[0].g_tensor.u_tensor.u_array.u_lower.pe_lower_top";

// The GpSimd cores are below the probe of their engine, their own probes as `probe` in them. Blanks separate
// the parts of a name that become levels in FST.
constexpr const char* GpsimdScope = "core neuron_core gpsimd";
constexpr const char* GpsimdProbe = ".gpsimd_core.probe";
constexpr int LevelsAboveGpsimdCores = 2;  // levels of signals in the scope without those of the cores

bool bit(unsigned vector, int index) {
    return (vector >> index & 1u) != 0;
}

// The clock generator of a domain: Num edges in Den core cycles, evenly spread.
class Divider {
  public:
    Divider(unsigned num, unsigned den) : num_(num), den_(den) {}

    bool tick() const { return phase_ + num_ >= den_; }  // the next core edge has one
    void advance() { phase_ = tick() ? phase_ + num_ - den_ : phase_ + num_; }

  private:
    unsigned num_, den_;
    unsigned phase_ = 0;
};

// A context without the idle threads that Verilator has for models built with its option --threads.
struct Context : VerilatedContext {
    Context() { threads(1); }
};

class VerilatedCore final : public CoreModel {
  public:
    explicit VerilatedCore(unsigned threads)
        : lower_(context_, LowerScope, threads),
          gpsimd_(context_, GpsimdScope, gpsimd_cores(cfg::Lanes), threads),
          top_(std::make_unique<Vneuron_core>(&context_, "core")) {
        context_.traceEverOn(true);
        reset();
    }
    ~VerilatedCore() override {
        // Verilator's destructors use the context of the thread, which may be that of another core.
        Verilated::threadContextp(&context_);
        close_wave();
        top_->final();
        lower_.final();
        gpsimd_.final();
        save_coverage(context_, top_->modelName());
    }

    CoreInfo info() const override { return {cfg::RtlHash, Verilated::productVersion()}; }

    MemoryCounts memory_counts() const override {
        const auto& count = top_->memory_counts_o;
        return {count[0],
                count[1],
                count[2],
                count[3],
                count[4],
                count[5],
                count[6],
                count[7],
                top_->unwritten_o,
                top_->unwritten_address_o,
                top_->unwritten_reader_o,
                count[8]};
    }

    EngineCounters engine_counters() const override {
        const auto& count = top_->rootp->neuron_core__DOT__u_engines__DOT__u_counters__DOT__count_q;
        EngineCounters counters;
        for (std::size_t e = 0; e < Engines; ++e) counters.busy[e] = count[e];
        counters.matmul = count[Engines];
        counters.fast_load = count[Engines + 1];
        counters.normal_load = count[Engines + 2];
        return counters;
    }

    GpsimdCounters gpsimd_counters() const override {
        GpsimdCounters counters;
        for (unsigned k = 0; k < gpsimd_.size(); ++k) counters[k] = gpsimd_.counters(k);
        return counters;
    }

    void observe_gpsimd(GpsimdObserver* observer) override { gpsimd_.observe(observer); }
    void debug_gpsimd(GpsimdDebugger& debugger) override { gpsimd_.debug(debugger, *this); }

    NumericError numeric_error() const override {
        const auto& root = *top_->rootp;
        const auto& origin =
            root.neuron_core__DOT__u_core_control__DOT__u_control__DOT__u_control_registers__DOT__nan_origin_q;
        return {
            root.neuron_core__DOT__u_core_control__DOT__u_control__DOT__u_control_registers__DOT__nan_q,
            root.neuron_core__DOT__u_core_control__DOT__u_control__DOT__u_control_registers__DOT__nan_engine_q,
            static_cast<std::uint8_t>(origin), static_cast<std::uint32_t>(origin >> 8)};
    }

    void step() override {
        const bool bus_edge = bus_.tick();
        if (still()) {
            end_pulses();
        } else {
            if (bus_edge || !in.reset_n || top_->rst_ni == 0) drive();  // inputs change with the bus clock
            drive_ticks();
            top_->clk_i = 0;
            eval();
            top_->clk_i = 1;
            eval();
            sample(bus_edge);
        }
        if (in.reset_n) {
            for (Divider* domain : {&bus_, &tensor_, &vector_, &scalar_, &gpsimd_clock_}) domain->advance();
        }
        out.bus_tick = bus_.tick();
        if (wave_) {  // signals that depend on the next tick show it
            drive_ticks();
            eval();
        }
        gpsimd_.serve_debugger();
    }

    bool quiescent() const override {
        return top_->busy_o == 0 && !out.error && stands(*top_->rootp) && gpsimd_.rests();
    }

    checkpoint::CoreState save() const override {
        checkpoint::CoreState state = save_state(*top_->rootp, lower_);
        gpsimd_.save(state.gpsimd.cores);
        return state;
    }

    void load(const checkpoint::CoreState& state) override {
        gpsimd_.load(state.gpsimd.cores);
        load_state(state, *top_->rootp, lower_);
        drive();
        drive_ticks();
        top_->clk_i = 0;
        eval();
        {
            const LowerRows::Use use(lower_);
            const GpsimdCores::Use use_gpsimd(gpsimd_);
            settle(*top_->rootp);
        }
        sample(false);
        out.bus_tick = bus_.tick();
    }

    void open_wave(const std::string& path, std::span<const std::string> scopes) override {
        check_wave_scopes(scopes);
        wave_ = std::make_unique<VerilatedFstC>();
        dumps_ = 0;
        context_.timeunit(-12);
        context_.timeprecision(-12);
        select_scopes(scopes);
        top_->trace(wave_.get(), AllLevels);
        if (has_whole_core(scopes)) lower_.trace(*wave_, AllLevels);
        if (has_whole_core(scopes) || scopes.empty() ||
            std::ranges::find(scopes, GpsimdWaves) != scopes.end())
            gpsimd_.trace(*wave_, AllLevels);
        forget_write_failure();
        wave_->open(path.c_str());
        if (!wave_->isOpen()) {
            wave_.reset();
            throw std::runtime_error(path + ": cannot write the waveform");
        }
    }
    void dump_wave(std::uint64_t time_ps) override {
        if (!wave_ || has_write_failed()) return;
        lower_.finish();
        wave_->dump(time_ps);
        if (++dumps_ % DumpsBetweenFlushes == 0) wave_->flush();
    }
    std::string close_wave() override {
        if (!wave_) return {};
        wave_->close();
        wave_.reset();
        return write_failure();
    }

    bool debug_read(std::uint32_t offset, std::span<std::uint8_t> data) override {
        for (std::size_t i = 0; i < data.size(); ++i) {
            const std::uint8_t* place = memory_byte(offset + static_cast<std::uint32_t>(i));
            if (place == nullptr) return false;
            data[i] = *place;
        }
        return true;
    }
    bool debug_write(std::uint32_t offset, std::span<const std::uint8_t> data) override {
        for (std::size_t i = 0; i < data.size(); ++i) {
            std::uint8_t* place = memory_byte(offset + static_cast<std::uint32_t>(i));
            if (place == nullptr) return false;
            *place = data[i];
            mark_written(offset + static_cast<std::uint32_t>(i));
        }
        return true;
    }

  private:
    static bool has_whole_core(std::span<const std::string> scopes) {
        return std::ranges::find(scopes, WholeCore) != scopes.end();
    }

    // Selects scopes. Without a selection Verilator writes the whole hierarchy.
    void select_scopes(std::span<const std::string> scopes) {
        if (has_whole_core(scopes)) return;
        const auto select = [&](const auto& names) {
            for (const auto& name : names) {
                const std::string scope = std::string("core.neuron_core.").append(name);
                const bool has_cores = name == GpsimdWaves;
                wave_->dumpvars(has_cores ? LevelsAboveGpsimdCores : AllLevels, scope);
                for (unsigned k = 0; has_cores && k < gpsimd_.size(); ++k)
                    wave_->dumpvars(AllLevels, scope + ".core" + std::to_string(k) + GpsimdProbe);
            }
        };
        scopes.empty() ? select(WaveScopes) : select(scopes);
    }

    void reset() {
        in.reset_n = false;
        top_->rst_ni = 1;
        top_->clk_i = 0;
        eval();  // so that the reset has an edge
        for (int cycle = 0; cycle < 4; ++cycle) step();
        in.reset_n = true;
        step();
    }

    void eval() {
        const LowerRows::Use use(lower_);
        const GpsimdCores::Use use_gpsimd(gpsimd_);
        top_->eval();
    }

    // Returns true if the next edge would change nothing: leaving it out saves time.
    bool still() const {
        if (wave_ || !in.reset_n || top_->changing_o != 0) return false;
        if (bus_.tick() && (top_->bus_awake_o != 0 || inputs_wait())) return false;
        return !(tensor_.tick() && top_->tensor_awake_o != 0) &&
               !(vector_.tick() && top_->vector_awake_o != 0) &&
               !(scalar_.tick() && top_->scalar_awake_o != 0) &&
               !(gpsimd_clock_.tick() && top_->gpsimd_awake_o != 0);
    }

    // Returns whether inputs may have changed since the last evaluation.
    bool inputs_wait() const {
        for (int p = 0; p < Ports; ++p) {
            const AxiSubordinateIn& port = in.port[p];
            if (port.aw_valid || port.w_valid || port.ar_valid) return true;
        }
        return in.manager.r_valid || in.manager.b_valid || in.table.r_valid || out.manager.ar_valid ||
               out.manager.aw_valid || out.manager.w_valid || out.table.ar_valid;
    }

    void drive_ticks() {
        top_->bus_tick_i = bus_.tick();
        top_->tensor_tick_i = tensor_.tick();
        top_->vector_tick_i = vector_.tick();
        top_->scalar_tick_i = scalar_.tick();
        top_->gpsimd_tick_i = gpsimd_clock_.tick();
    }

    void end_pulses() {
        for (EngineOut& engine : out.engine) engine.issued = engine.completed = false;
    }

    void drive() {
        unsigned aw_valid = 0, w_valid = 0, w_last = 0, b_ready = 0, ar_valid = 0, r_ready = 0;
        for (int p = 0; p < Ports; ++p) {
            const AxiSubordinateIn& port = in.port[p];
            aw_valid |= unsigned{port.aw_valid} << p;
            w_valid |= unsigned{port.w_valid} << p;
            w_last |= unsigned{port.w_last} << p;
            b_ready |= unsigned{port.b_ready} << p;
            ar_valid |= unsigned{port.ar_valid} << p;
            r_ready |= unsigned{port.r_ready} << p;
            top_->s_aw_addr_i[p] = port.aw_addr;
            top_->s_ar_addr_i[p] = port.ar_addr;
            top_->s_ar_len_i[p] = port.ar_len;
            if (port.w_valid) {
                // Ports are packed: one beat after the other.
                std::memcpy(reinterpret_cast<std::uint8_t*>(&top_->s_w_data_i) + p * BeatBytes,
                            port.w_data.data(), BeatBytes);
                std::memcpy(reinterpret_cast<std::uint8_t*>(&top_->s_w_strobe_i) + p * BeatBytes / 8,
                            port.w_strobe.data(), BeatBytes / 8);
            }
        }
        top_->s_aw_valid_i = aw_valid;
        top_->s_w_valid_i = w_valid;
        top_->s_w_last_i = w_last;
        top_->s_b_ready_i = b_ready;
        top_->s_ar_valid_i = ar_valid;
        top_->s_r_ready_i = r_ready;
        top_->rst_ni = in.reset_n;
        top_->timestamp_i = in.timestamp;
        top_->hold_issue_i = in.hold.issue;
        top_->hold_done_i = in.hold.done;
        top_->hold_arbiter_i = in.hold.arbiter;
        top_->hold_port_i = in.hold.port;

        const AxiManagerIn& manager = in.manager;
        top_->m_ar_ready_i = manager.ar_ready;
        top_->m_r_valid_i = manager.r_valid;
        top_->m_r_id_i = manager.r_id;
        top_->m_r_resp_i = manager.r_resp;
        top_->m_r_last_i = manager.r_last;
        if (manager.r_valid) std::memcpy(&top_->m_r_data_i, manager.r_data.data(), sizeof manager.r_data);
        top_->m_aw_ready_i = manager.aw_ready;
        top_->m_w_ready_i = manager.w_ready;
        top_->m_b_valid_i = manager.b_valid;
        top_->m_b_id_i = manager.b_id;
        top_->m_b_resp_i = manager.b_resp;

        const AxiTableIn& table = in.table;
        top_->t_ar_ready_i = table.ar_ready;
        top_->t_r_valid_i = table.r_valid;
        top_->t_r_resp_i = table.r_resp;
        if (table.r_valid) std::memcpy(&top_->t_r_data_i, table.r_data.data(), sizeof table.r_data);
    }

    // Reads the outputs. Pulses of the bus domain last until its next edge; `bus_edge` says that this step
    // had one.
    void sample(bool bus_edge) {
        out.idle = top_->idle_o != 0;
        if (out.idle) lower_.finish();  // no edge may follow
        out.error = top_->error_o != 0;
        for (int p = 0; p < Ports; ++p) {
            AxiSubordinateOut& port = out.port[p];
            port.aw_ready = bit(top_->s_aw_ready_o, p);
            port.w_ready = bit(top_->s_w_ready_o, p);
            port.b_valid = bit(top_->s_b_valid_o, p);
            port.ar_ready = bit(top_->s_ar_ready_o, p);
            port.r_valid = bit(top_->s_r_valid_o, p);
            port.r_last = bit(top_->s_r_last_o, p);
            port.b_resp = top_->s_b_resp_o[p];
            port.r_resp = top_->s_r_resp_o[p];
            if (port.r_valid)
                std::memcpy(port.r_data.data(),
                            reinterpret_cast<const std::uint8_t*>(&top_->s_r_data_o) + p * BeatBytes,
                            BeatBytes);
        }
        AxiManagerOut& manager = out.manager;
        manager.ar_valid = top_->m_ar_valid_o != 0;
        manager.ar_id = top_->m_ar_id_o;
        manager.ar_len = top_->m_ar_len_o;
        manager.ar_addr = top_->m_ar_addr_o;
        manager.r_ready = top_->m_r_ready_o != 0;
        manager.aw_valid = top_->m_aw_valid_o != 0;
        manager.aw_id = top_->m_aw_id_o;
        manager.aw_addr = top_->m_aw_addr_o;
        manager.w_valid = top_->m_w_valid_o != 0;
        manager.aw_size = top_->m_aw_size_o;
        std::memcpy(manager.w_data.data(), &top_->m_w_data_o, sizeof manager.w_data);
        manager.b_ready = top_->m_b_ready_o != 0;
        AxiTableOut& table = out.table;
        table.ar_valid = top_->t_ar_valid_o != 0;
        table.ar_len = top_->t_ar_len_o;
        table.ar_addr = top_->t_ar_addr_o;
        table.r_ready = top_->t_r_ready_o != 0;
        for (int e = 0; e < Engines; ++e) {
            EngineOut& engine = out.engine[e];
            engine.state = top_->state_o >> (3 * e) & 7u;
            engine.busy = bit(top_->busy_o, e);
            engine.issued = bus_edge && bit(top_->issued_o, e);
            engine.completed = bus_edge && bit(top_->completed_o, e);
            engine.issue_pc = top_->issue_pc_o[e];
        }
    }

    // Returns the byte of a row of SBUF or PSUM, which is one 32-bit word of every partition.
    std::uint8_t* memory_byte(std::uint32_t offset) {
        if (offset >= isa::window::GpsimdTcmBase) {
            const std::uint32_t tcm = offset - isa::window::GpsimdTcmBase;
            const auto memory = gpsimd_.memory(tcm / isa::window::GpsimdTcmStride);
            const std::uint32_t byte = tcm % isa::window::GpsimdTcmStride;
            return byte < memory.size() ? &memory[byte] : nullptr;
        }
        auto& root = *top_->rootp;
        if (offset < isa::window::PsumBase) {
            return row_byte(root.neuron_core__DOT__u_memories__DOT__u_sbuf__DOT__mem_q, offset / SbufStride,
                            offset % SbufStride, cfg::SbufBytes);
        }
        const std::uint32_t psum = offset - isa::window::PsumBase;
        return row_byte(root.neuron_core__DOT__u_memories__DOT__u_psum__DOT__mem_q,
                        psum / isa::window::PsumPartitionStride, psum % isa::window::PsumPartitionStride,
                        cfg::PsumBytes);
    }
    // Marks words for the watch of reads before writes; reset undoes it.
    void mark_written(std::uint32_t offset) {
        auto& root = *top_->rootp;
        const auto mark = [](auto& written, std::uint32_t partition, std::uint32_t byte) {
            reinterpret_cast<std::uint8_t*>(&written[byte / 4])[partition / 8] |=
                static_cast<std::uint8_t>(1u << partition % 8);
        };
        if (offset < isa::window::PsumBase) {
            mark(root.neuron_core__DOT__u_memories__DOT__u_sbuf_watch__DOT__written_q, offset / SbufStride,
                 offset % SbufStride);
        } else if (offset < isa::window::GpsimdTcmBase) {
            const std::uint32_t psum = offset - isa::window::PsumBase;
            mark(root.neuron_core__DOT__u_memories__DOT__u_psum_watch__DOT__written_q,
                 psum / isa::window::PsumPartitionStride, psum % isa::window::PsumPartitionStride);
        }
    }
    template <typename Memory>
    static std::uint8_t* row_byte(Memory& memory, std::uint32_t partition, std::uint32_t byte,
                                  std::uint32_t bytes) {
        if (partition >= cfg::Lanes || byte >= bytes) return nullptr;
        auto* row = reinterpret_cast<std::uint8_t*>(&memory[byte / 4]);
        return row + 4 * std::size_t{partition} + byte % 4;
    }

    Divider bus_{cfg::BusClkNum, cfg::BusClkDen}, tensor_{cfg::TensorClkNum, cfg::TensorClkDen},
        vector_{cfg::VectorClkNum, cfg::VectorClkDen}, scalar_{cfg::ScalarClkNum, cfg::ScalarClkDen},
        gpsimd_clock_{cfg::GpsimdClkNum, cfg::GpsimdClkDen};
    Context context_;
    mutable LowerRows lower_;  // its thread may have to finish before a read
    GpsimdCores gpsimd_;
    std::unique_ptr<Vneuron_core> top_;
    std::unique_ptr<VerilatedFstC> wave_;
    std::uint32_t dumps_ = 0;  // of the waveform
};

}  // namespace
}  // namespace trnsim::tlm

extern "C" const char* trnsim_core_parameters() {
    return trnsim::cfg::Parameters;
}
extern "C" trnsim::tlm::CoreModel* trnsim_core_create(unsigned threads) {
    return new trnsim::tlm::VerilatedCore(threads);
}
