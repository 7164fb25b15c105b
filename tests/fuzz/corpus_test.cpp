// Replays the kept inputs of every target, so that faults that a fuzzer once found do not come back.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/files/files.hpp"
#include "fuzz/targets.hpp"

namespace trnsim::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, EveryInputIsReadOrRefusedWithALine) {
    std::size_t inputs = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TRNSIM_FUZZ_CORPUS) / GetParam().name)) {
        EXPECT_NO_THROW(GetParam().run(files::read(entry.path()))) << entry.path();
        ++inputs;
    }
    EXPECT_GT(inputs, 0u);
}

TEST_P(Corpus, EveryBeginningOfASmallInputToo) {
    constexpr std::size_t Small = 256;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(TRNSIM_FUZZ_CORPUS) / GetParam().name)) {
        const auto bytes = files::read(entry.path());
        if (bytes.size() > Small) continue;
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            EXPECT_NO_THROW(GetParam().run(Bytes(bytes).first(size))) << entry.path() << ", " << size;
        }
    }
}

TEST(CorpusFolders, EveryFolderHasATarget) {
    std::set<std::string> folders, targets;
    for (const auto& entry : std::filesystem::directory_iterator(TRNSIM_FUZZ_CORPUS)) {
        folders.insert(entry.path().filename());
    }
    for (const Target& target : Targets) targets.emplace(target.name);
    EXPECT_EQ(folders, targets);
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(Targets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace trnsim::fuzz
