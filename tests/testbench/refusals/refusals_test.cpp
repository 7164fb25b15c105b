// Holds interpreter, fast core and builder against one list of refusals, of which each case names the reason;
// tests/model/core/fast/lockstep_refusals_test.cpp holds the RTL against the same list.
#include <gtest/gtest.h>

#include <set>

#include "arch/config/config.hpp"
#include "compiler/builder/error.hpp"
#include "model/values/functional_core.hpp"
#include "testbench/functional/refusal.hpp"
#include "testbench/functional/scalar_engine.hpp"
#include "testbench/functional/vector_engine.hpp"
#include "testbench/refusals/cases.hpp"

namespace trnsim::refusals {
namespace {

using isa::Engine;
using isa::Error;
using isa::Instruction;

class Refusals : public testing::TestWithParam<const char*> {
  protected:
    const config::Config config_ = config::load(GetParam());
    const target::Core target_ = target::of(config_);
    const std::vector<Case> cases_ = cases(target_);
};

// The part of the interpreter that the cases need.
class InterpreterEngines {
  public:
    explicit InterpreterEngines(const target::Core& target)
        : target_(target),
          vector_(target, Engine::Vector),
          scalar_(target, Engine::Scalar),
          tensor_(target) {}

    functional::Refusal refusal_of(Engine engine, const Instruction& instruction) const {
        return functional::refusal_of(engine, instruction, target_, {tensor_, vector_, scalar_});
    }
    void execute(Engine engine, const Instruction& instruction) {
        switch (engine) {
            case Engine::Tensor:
                return tensor_.load_stationary(instruction, memory_);
            case Engine::Vector:
                return functional::run_vector(instruction, target_, vector_, memory_);
            default:
                return functional::run_scalar(instruction, target_, scalar_, memory_);
        }
    }

  private:
    const target::Core& target_;
    functional::CoreMemory memory_{target_, false};
    functional::LaneState vector_, scalar_;
    functional::TensorEngine tensor_;
};

TEST_P(Refusals, AreTheInterpreters) {
    for (const Case& test : cases_) {
        InterpreterEngines interpreter(target_);
        for (const Instruction& instruction : test.before) {
            ASSERT_FALSE(interpreter.refusal_of(test.engine, instruction)) << test.name;
            interpreter.execute(test.engine, instruction);
        }
        const functional::Refusal refusal = interpreter.refusal_of(test.engine, test.instruction);
        EXPECT_EQ(refusal.error, test.by_loader ? Error::None : test.error)
            << test.name << ": " << refusal.rule;
    }
}

TEST_P(Refusals, AreTheFastCores) {
    for (const Case& test : cases_) {
        const bool data_path = test.instruction.info() != nullptr &&
                               test.instruction.opcode() > isa::Opcode::RegisterStore &&
                               test.engine != Engine::Gpsimd;
        if (!data_path) continue;  // these are checked by the core around it, which lockstep tests
        fast::FunctionalCore core(config_.core);
        for (const Instruction& instruction : test.before) {
            const fast::Issued issued = core.issue(test.engine, instruction.bytes());
            ASSERT_EQ(issued.refused.code, Error::None) << test.name;
            core.execute(*issued.operation);
        }
        EXPECT_EQ(core.issue(test.engine, test.instruction.bytes()).refused.code, test.error) << test.name;
    }
}

TEST_P(Refusals, AreTheBuilders) {
    std::size_t called = 0;
    for (const Case& test : cases_) {
        if (!test.call) continue;
        ++called;
        builder::KernelBuilder builder("one", "", target_);
        std::string message;
        try {
            test.call(builder);
        } catch (const builder::Error& error) {
            message = error.what();
            EXPECT_EQ(message.find('\n'), std::string::npos) << message;
        }
        EXPECT_EQ(message.empty(), test.error == Error::None) << test.name << ": " << message;
    }
    EXPECT_GT(called, cases_.size() / 2);
}

// Each case has a name, and each reason for which a core refuses an instruction has a case.
TEST_P(Refusals, HaveEveryReason) {
    std::set<Error> seen;
    for (const Case& test : cases_) {
        EXPECT_FALSE(test.name.empty());
        seen.insert(test.error);
    }
    const std::set<Error> all{Error::None,
                              Error::IllegalInstruction,
                              Error::AddressRange,
                              Error::AddressAlign,
                              Error::PartitionRange,
                              Error::PartitionStart,
                              Error::Dtype,
                              Error::Shape,
                              Error::BankCrossing,
                              Error::UnsupportedOperand,
                              Error::StationaryOperand,
                              Error::ActivationTable,
                              Error::OperandOverlap};
    EXPECT_EQ(seen, all);
}

INSTANTIATE_TEST_SUITE_P(Configurations, Refusals, testing::Values("trn1", "small16"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace trnsim::refusals
