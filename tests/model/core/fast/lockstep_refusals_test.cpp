// Holds the RTL and the fast core against the list of refusals: both stop with the code of each case, in the same
// cycle and with the same address, or execute its instruction.
#include "arch/target/target.hpp"
#include "lockstep_programs.hpp"
#include "testbench/refusals/cases.hpp"

namespace trnsim::test {
namespace {

TEST(Lockstep, Refusals) {
    const config::Config config = config::load("small16");
    for (const refusals::Case& test : refusals::cases(target::of(config))) {
        SCOPED_TRACE(test.name);
        Lockstep both(0, "small16", Values::Computed);
        both.fill(Ones);
        const auto engine = static_cast<unsigned>(test.engine);
        Program program = test.before;
        program.push_back(test.instruction);
        program.emplace_back(isa::Opcode::Halt);
        both.load_and_start(engine, base_of(engine), program);
        EXPECT_TRUE(both.finish());
        expect_same_faults(both);
        expect_same(both);
        EXPECT_EQ(both.read32(isa::csr::ErrorCode), static_cast<std::uint32_t>(test.error));
        EXPECT_EQ(both.out().error, test.error != isa::Error::None);
        if (test.error != isa::Error::None) {
            EXPECT_EQ(both.read32(isa::csr::ErrorPc), test.before.size());
        }
    }
}

}  // namespace
}  // namespace trnsim::test
