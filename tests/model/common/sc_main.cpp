// Runs every GoogleTest test in a child process, as a simulation can neither be restarted nor get further
// modules.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <systemc>
#include <vector>

#include "common/random.hpp"
#include "model/protocol/types.hpp"

namespace {

// Matches a name with a filter of --gtest_filter: patterns with * and ? between colons; those after a - are
// excluded.
bool matches(const char* pattern, const char* end, const char* name) {
    if (pattern == end) return *name == '\0';
    if (*pattern == '*')
        return matches(pattern + 1, end, name) || (*name != '\0' && matches(pattern, end, name + 1));
    return *name != '\0' && (*pattern == '?' || *pattern == *name) && matches(pattern + 1, end, name + 1);
}

bool matches_any(const std::string& patterns, const std::string& name) {
    for (std::size_t begin = 0; begin <= patterns.size();) {
        const std::size_t end = std::min(patterns.find(':', begin), patterns.size());
        if (matches(patterns.data() + begin, patterns.data() + end, name.c_str())) return true;
        begin = end + 1;
    }
    return false;
}

bool selected(const std::string& filter, const std::string& name) {
    const std::size_t minus = filter.find('-');
    const std::string wanted = minus == 0 ? "*" : filter.substr(0, minus);
    return matches_any(wanted, name) &&
           (minus == std::string::npos || !matches_any(filter.substr(minus + 1), name));
}

std::vector<std::string> selected_tests(const std::string& filter) {
    std::vector<std::string> names;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int j = 0; j < suite.total_test_count(); ++j) {
            const std::string name = std::string(suite.name()) + "." + suite.GetTestInfo(j)->name();
            if (selected(filter, name)) names.push_back(name);
        }
    }
    return names;
}

bool passes(const std::string& test) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        GTEST_FLAG_SET(filter, test);
        const int result = RUN_ALL_TESTS();
        std::fflush(nullptr);
        _exit(result);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int sc_main(int argc, char** argv) {
    trnsim::tlm::use_femtoseconds();
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
    trnsim::test::seed();
    testing::InitGoogleTest(&argc, argv);
    if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
    std::vector<std::string> failed;
    const std::vector<std::string> tests = selected_tests(GTEST_FLAG_GET(filter));
    for (const std::string& test : tests) {
        if (!passes(test)) failed.push_back(test);
    }
    std::printf("%zu of %zu tests passed\n", tests.size() - failed.size(), tests.size());
    for (const std::string& test : failed) std::printf("failed: %s\n", test.c_str());
    return failed.empty() && !tests.empty() ? 0 : 1;
}

int main(int argc, char** argv) {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    return sc_core::sc_elab_and_sim(argc, argv);
}
