// Every rule of a sweep file has a bad file in the folder `bad`.
#include "common/bad_files.hpp"
#include "tools/sweep/plan.hpp"

namespace trnsim::sweep {
namespace {

TEST(BadSweeps, SayWhatWhereAndWhatWasExpectedForEveryRule) {
    const std::set<std::string> broken = test::refused(
        TRNSIM_BAD_SWEEPS, [](const std::filesystem::path& file) { make_plan(read_sweep(file)); });
    for (const std::string& rule : all_rules())
        EXPECT_TRUE(broken.contains(rule)) << "no file breaks: " << rule;
}

}  // namespace
}  // namespace trnsim::sweep
