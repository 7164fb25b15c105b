// The graphs of real models are read, verified, written back byte by byte, and printed and read as text.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/files.hpp"
#include "common/lacking.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/shared_data.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"

namespace trnsim::test {
namespace {

TEST(Graphs, AreReadVerifiedAndWrittenBack) {
    const auto folder = shared_data("hlo");
    if (!folder) TRNSIM_END_WITHOUT("folder shared/data/hlo beside the tree");
    std::size_t graphs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
        SCOPED_TRACE(entry.path().filename().string());
        const auto file = files::read(entry.path());
        const std::string bytes = hlo::inflate(file);
        const hlo::Module module = hlo::parse(file, "graph");
        EXPECT_NO_THROW(hlo::verify(module));
        EXPECT_TRUE(hlo::serialise(module) == bytes) << "other bytes come back";

        const std::string text = hlo::print(module);
        const hlo::Module again = hlo::parse_text(text);
        EXPECT_NO_THROW(hlo::verify(again));
        EXPECT_TRUE(hlo::print(again) == text) << "another text comes back";
        ++graphs;
    }
    EXPECT_GE(graphs, 46u);
}

}  // namespace
}  // namespace trnsim::test
