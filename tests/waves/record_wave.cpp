// Runs a small program on a core without the system around it, to record or time it:
//
//     record_wave CONFIG ROUNDS [FILE.fst [SCOPE...]]
//
// Sync waits for the host and writes a doorbell; then, round by round, Tensor multiplies into one of two PSUM
// banks and Vector scales the result into SBUF, rounding stochastically, each waiting for the other by
// semaphore. Prints the simulated cycles and their rate.
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <map>

#include "arch/config/config.hpp"
#include "isa/instruction.hpp"
#include "model/core/rtl/load_core_model.hpp"

namespace trnsim::test {
namespace {

using isa::Dtype;
using isa::Instruction;
using isa::Opcode;
namespace field = isa::field;
namespace window = isa::window;

constexpr std::uint64_t ProgramSpace = 0x100000;      // system bytes of a program
constexpr std::uint64_t Doorbell = 0xffff'0000'1000;  // any system address
constexpr std::uint32_t MovingByte = 0, WeightsByte = 4096, ResultByte = 8192;
constexpr std::uint32_t Seed = 7;  // seed of stochastic rounding
constexpr unsigned Elements = 64;  // elements of a matmul, per partition
enum Semaphore : std::uint8_t { Start, Ready, Product, Free };

class Bench {
  public:
    explicit Bench(const std::string& config_name)
        : config_(config::load(config::resolve(config_name))),
          model_(tlm::load_core_model(config::rtl_parameters(config_))) {}

    std::uint64_t cycles() const { return cycle_; }

    void record(const std::string& path, std::span<const std::string> scopes) {
        model_->open_wave(path, scopes);
        wave_ = true;
    }

    void fill_memory() {
        const unsigned lanes = partitions();
        for (unsigned p = 0; p < lanes; ++p) {
            for (unsigned n = 0; n < Elements; ++n) {
                put(p, MovingByte, n, static_cast<float>(p) + 0.25F * static_cast<float>(n % 8));
            }
            for (unsigned m = 0; m < lanes; ++m)
                put(p, WeightsByte, m, m == p ? 1.0F : m == p + 1 ? -0.5F : 0.0F);
        }
    }

    void build(unsigned rounds) {
        program_[isa::Engine::Sync] = {
            waits(Instruction(Opcode::EventSemaphore), Start, 1),
            updates(Instruction(Opcode::Write).set(field::Address, Doorbell).set(field::Data, 1), Ready)};
        for (unsigned r = 0; r < rounds; ++r) {
            auto& tensor = program_[isa::Engine::Tensor];
            tensor.push_back(r == 0 ? waits(load(), Ready, 1) : load());
            tensor.push_back(updates(r < 2 ? matmul(r) : waits(matmul(r), Free, r - 1), Product));
            program_[isa::Engine::Vector].push_back(updates(waits(scale(r), Product, r + 1), Free));
        }
        for (auto& [engine, program] : program_) program.emplace_back(Opcode::Halt);
    }

    // Runs until all programs halt; throws if that takes more than `limit` cycles.
    void run(std::uint64_t limit) {
        host_writes_.push_back({isa::csr::SrControl, 1});
        host_writes_.push_back({isa::csr::SrSeed, Seed});
        for (const auto& [engine, program] : program_) {
            const auto block = static_cast<std::uint32_t>(engine) * isa::csr::EngineStride;
            host_writes_.push_back(
                {isa::csr::EngineProgramLo + block, static_cast<std::uint32_t>(base(engine))});
            host_writes_.push_back({isa::csr::EngineStart + block, 1});
        }
        host_writes_.push_back({window::SemInc + 4 * Start, 1});
        while (!halted()) {
            if (cycle_ > limit) throw std::runtime_error("the programs do not end");
            if (model_->out.error) throw std::runtime_error("the core reports an error");
            step();
        }
    }
    void finish() { model_->close_wave(); }

  private:
    struct Fetch {
        std::uint8_t id;
        std::uint64_t address;
        unsigned beats;
    };

    unsigned partitions() const { return static_cast<unsigned>(config_.core.partitions); }
    std::uint32_t sbuf_stride() const { return partitions() > 128 ? 1U << 17 : 1U << 18; }
    static std::uint64_t base(isa::Engine engine) {
        return ProgramSpace * (1 + static_cast<std::uint64_t>(engine));
    }

    void put(unsigned partition, std::uint32_t byte, unsigned element, float value) {
        const std::uint16_t bits = std::bit_cast<std::uint32_t>(value) >> 16;
        std::array<std::uint8_t, 2> bytes{};
        std::memcpy(bytes.data(), &bits, sizeof bits);
        model_->debug_write(partition * sbuf_stride() + byte + 2 * element, bytes);
    }

    static Instruction waits(Instruction i, Semaphore semaphore, unsigned value) {
        return i.set(field::WaitMode, isa::WaitMode::Ge)
            .set(field::WaitSem, std::uint64_t{semaphore})
            .set(field::WaitValue, value);
    }
    static Instruction updates(Instruction i, Semaphore semaphore) {
        return i.set(field::UpdateMode, isa::UpdateMode::Add)
            .set(field::UpdateSem, std::uint64_t{semaphore})
            .set(field::UpdateValue, 1);
    }
    Instruction shaped(Opcode opcode, unsigned count) const {
        Instruction i(opcode);
        return i.set(field::Count0, count)
            .set(field::Count1, 1)
            .set(field::Count2, 1)
            .set(field::Count3, 1)
            .set(field::Partitions, partitions());
    }
    Instruction load() const {
        return shaped(Opcode::LoadStationary, partitions())
            .set(field::AAddr, WeightsByte)
            .set(field::AStep0, 1)
            .set(field::ADtype, Dtype::Bf16);
    }
    std::uint32_t bank(unsigned round) const {
        return window::PsumBase +
               round % 2 * static_cast<std::uint32_t>(config_.core.psum_partition / config_.core.psum_banks);
    }
    Instruction matmul(unsigned round) const {
        return shaped(Opcode::MultiplyMoving, Elements)
            .set(field::AAddr, MovingByte)
            .set(field::AStep0, 1)
            .set(field::ADtype, Dtype::Bf16)
            .set(field::Columns, partitions())
            .set(field::DstAddr, bank(round))
            .set(field::DstStep0, 1)
            .set(field::DstDtype, Dtype::Fp32);
    }
    Instruction scale(unsigned round) const {
        return shaped(Opcode::TensorScalar, Elements)
            .set(field::AAddr, bank(round))
            .set(field::AStep0, 1)
            .set(field::ADtype, Dtype::Fp32)
            .set(field::DstAddr, ResultByte)
            .set(field::DstStep0, 1)
            .set(field::DstDtype, Dtype::Bf16)
            .set(field::Op0, isa::AluOp::Multiply)
            .set(field::Op1, isa::AluOp::Add)
            .set_float(field::Imm0, 0.5F)
            .set_float(field::Imm1, 1.001F);
    }

    bool halted() const {
        for (const auto& [engine, program] : program_) {
            if (model_->out.engine[static_cast<std::size_t>(engine)].state !=
                static_cast<std::uint8_t>(isa::SeqState::Halted))
                return false;
        }
        return true;
    }

    void step() {
        if (model_->out.bus_tick) {
            drive_manager();
            drive_port();
        }
        model_->step();
        ++cycle_;
        if (wave_) model_->dump_wave(cycle_ * 1'000'000 / (config_.core.clock / 1'000'000));
    }

    // Provides the instruction memory and takes writes.
    void drive_manager() {
        tlm::AxiManagerIn& in = model_->in.manager;
        const tlm::AxiManagerOut& out = model_->out.manager;
        in.r_valid = !fetches_.empty();
        if (in.r_valid) {
            Fetch& fetch = fetches_.front();
            const auto engine = static_cast<isa::Engine>(fetch.id);
            const std::size_t index = (fetch.address - base(engine)) / isa::InstructionBytes;
            const auto& program = program_[engine];
            const Instruction instruction =
                index < program.size() ? program[index] : Instruction(Opcode::Halt);
            std::memcpy(in.r_data.data(), instruction.bytes().data(), isa::InstructionBytes);
            in.r_id = fetch.id;
            in.r_last = --fetch.beats == 0;
            fetch.address += isa::InstructionBytes;
            if (in.r_last) fetches_.pop_front();
        }
        in.ar_ready = in.aw_ready = in.w_ready = true;
        if (out.ar_valid) fetches_.push_back({out.ar_id, out.ar_addr, out.ar_len + 1U});
        in.b_valid = write_waits_;
        in.b_id = out.aw_id;
        write_waits_ = out.aw_valid;
    }

    // Does the host's writes, one after the other.
    void drive_port() {
        tlm::AxiSubordinateIn& in = model_->in.port[0];
        const tlm::AxiSubordinateOut& out = model_->out.port[0];
        in.b_ready = true;
        if (host_writes_.empty()) return;
        in.aw_valid = out.aw_ready;
        if (in.aw_valid) {
            const auto& [address, value] = host_writes_.front();
            const std::uint32_t word =
                address % (static_cast<std::uint32_t>(config_.core.bus.data_bits) / 8) / 4;
            in.aw_addr = address;
            in.w_data = {};
            in.w_strobe = {};
            in.w_data[word] = value;
            in.w_strobe[word / 8] = 0xfU << word % 8 * 4;
        }
        in.w_valid = in.w_last = out.w_ready;
        if (out.b_valid) host_writes_.pop_front();
    }

    config::Config config_;
    std::unique_ptr<tlm::CoreModel> model_;
    std::map<isa::Engine, std::vector<Instruction>> program_;
    std::deque<Fetch> fetches_;
    std::deque<std::pair<std::uint32_t, std::uint32_t>> host_writes_;  // address, value
    std::uint64_t cycle_ = 0;
    bool wave_ = false, write_waits_ = false;
};

void record(const std::vector<std::string>& arguments) {
    const auto rounds = static_cast<unsigned>(std::stoul(arguments[1]));
    Bench bench(arguments[0]);
    bench.fill_memory();
    bench.build(rounds);
    if (arguments.size() > 2) bench.record(arguments[2], std::span(arguments).subspan(3));
    const auto start = std::chrono::steady_clock::now();
    bench.run(10'000 + 1'000ULL * rounds);
    bench.finish();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    fmt::print("{} cycles in {:.3f} s, {:.1f} kHz\n", bench.cycles(), time.count(),
               static_cast<double>(bench.cycles()) / time.count() / 1e3);
}

}  // namespace
}  // namespace trnsim::test

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() < 2) {
        fmt::print(stderr, "usage: record_wave CONFIG ROUNDS [FILE.fst [SCOPE...]]\n");
        return 2;
    }
    try {
        trnsim::test::record(arguments);
    } catch (const std::exception& error) {
        fmt::print(stderr, "record_wave: {}\n", error.what());
        return 1;
    }
    return 0;
}
