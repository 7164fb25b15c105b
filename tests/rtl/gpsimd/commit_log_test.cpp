// Compares the commit log of a core with Spike's, line by line.
#include "runtime/session/commit_log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "common/lacking.hpp"
#include "tests/common/random.hpp"
#include "tests/common/riscv/cosimulation.hpp"
#include "tests/common/riscv/encode.hpp"
#include "tests/common/riscv/instruction_plan.hpp"
#include "tests/common/riscv/random_program.hpp"
#include "tests/common/riscv/spike.hpp"
#include "tests/common/temporary_directory.hpp"
#include "tests/rtl/gpsimd/model_bench.hpp"

namespace trnsim::test {
namespace {

constexpr unsigned Opcode = 0x7f, Store = 0x23;

// Returns Spike's lines up to the store that ends the program, without the differences that docs/gpsimd.md
// names: CSRs that the core does not have or that are always zero, and the element type where vtype is
// illegal.
std::vector<std::string> spike_lines(const std::filesystem::path& elf, const Program& program,
                                     InstructionPlan& plan) {
    static const std::string absent = " c784_mstatush 0x00000000 c1957_tcontrol 0x00000000";
    static const std::regex constant(R"( c\d+_mhpm\w+ 0x00000000)");
    std::vector<std::string> lines;
    Spike spike(spike_program(), elf, program.vlen);
    char end[32];
    std::snprintf(end, sizeof end, " mem 0x%08x 0x", program.to_host);
    bool illegal = true;
    for (Step step; lines.size() < program.most_steps && spike.next(step);) {
        std::string line = step.text;
        line.pop_back();  // end of the line
        if (const auto at = line.find(absent); at != std::string::npos) line.erase(at, absent.size());
        line = std::regex_replace(line, constant, "");
        if (const auto at = line.find(" c3105_vtype 0x"); at != std::string::npos)
            illegal = line[at + 15] == '8';
        if (const auto at = line.find(") e"); at != std::string::npos && illegal)
            line.replace(at, line.find(" l", at) - at, ") e8 m1");
        plan.executed(step.insn, step.sew, step.lmul);
        lines.push_back(line);
        if ((step.insn & Opcode) == Store && line.find(end) != std::string::npos) return lines;
    }
    ADD_FAILURE() << "the program does not end: Spike is not at its last store after " << lines.size()
                  << " instructions";
    return lines;
}

// For an instruction with a mask Spike also lists registers without an active element. They are removed if
// they have not changed and the core does not list them.
class VectorRegisters {
  public:
    std::string without_inactive(std::string line, const std::string& of_core) {
        static const std::regex pattern(R"( v(\d+) +(0x[0-9a-f]+))");
        const bool masked = line.find(") e") != std::string::npos &&
                            (std::stoul(line.substr(line.find('(') + 1), nullptr, 16) >> 25 & 1) == 0;
        std::string result = line;
        for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
            std::string& value = values_[(*match)[1]];
            const std::string text = match->str();
            if (masked && value == (*match)[2] && of_core.find(text) == std::string::npos)
                result.erase(result.find(text), text.size());
            value = (*match)[2];
        }
        return result;
    }

  private:
    std::map<std::string, std::string> values_;
};

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST(CommitLog, IsSpikesLineByLine) {
    if (!std::filesystem::exists(spike_program())) TRNSIM_END_WITHOUT(spike_program());
    TemporaryDirectory directory;
    InstructionPlan plan;
    std::size_t compared = 0;
    for (std::uint64_t k = 0; compared < 30'000 * scale() && !HasFailure(); ++k) {
        const std::uint64_t program_seed = seed() * 1'000'003 + k;
        std::mt19937_64 generator(program_seed);
        const Mix mix = k % 4 < 2 ? Mix{} : mixes::Streams;
        const Program program = random_program(generator, mix, 1000 + generator() % 6000);
        write_elf(program, directory / "program.elf");
        const std::vector<std::string> expected = spike_lines(directory / "program.elf", program, plan);
        ASSERT_FALSE(HasFailure()) << "program " << k;

        std::ostringstream text;
        runtime::CommitLog log(text);
        ModelBench bench(1, program_seed, k % 2 == 1);
        bench.load(0, program.words);
        bench.cores().observe(&log);
        ASSERT_TRUE(bench.run(1)) << "program " << k;
        log.finish();
        const std::vector<std::string> lines = lines_of(text.str());
        VectorRegisters registers;
        for (std::size_t n = 0; n < expected.size(); ++n, ++compared) {
            ASSERT_LT(n, lines.size()) << "program " << k;
            ASSERT_EQ(lines[n], registers.without_inactive(expected[n], lines[n]))
                << "program " << k << ", line " << n;
        }
    }
    std::printf("%zu lines, %s\n", compared, plan.summary().c_str());
}

}  // namespace
}  // namespace trnsim::test
