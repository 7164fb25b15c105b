#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/core/rtl/load_core_model.hpp"

namespace trnsim::tlm {
namespace {

namespace fs = std::filesystem;

// Returns a folder with copies of the two test libraries.
fs::path folder() {
    const fs::path path = fs::path(testing::TempDir()) / "trnsim_cores";
    fs::remove_all(path);
    fs::create_directories(path);
    fs::copy_file(TEST_CORE_A, path / "core_a.so");
    fs::copy_file(TEST_CORE_B, path / "core_b.so");
    return path;
}

std::string error_of(const std::string& parameters) {
    try {
        load_core_model(parameters);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "none";
}

TEST(LoadCoreModel, FindsTheOneWithEqualParameters) {
    setenv("TRNSIM_CORE_PATH", ("/nowhere:" + folder().string()).c_str(), 1);
    const auto model = load_core_model("Rows=8\nCols=8\n");
    ASSERT_NE(model, nullptr);
    model->step();
    EXPECT_NE(load_core_model("Rows=16\nCols=8\n"), nullptr);
}

TEST(LoadCoreModel, SaysWhatIsThere) {
    const fs::path path = folder();
    setenv("TRNSIM_CORE_PATH", path.c_str(), 1);
    EXPECT_EQ(error_of("Rows=4\nCols=8\nLanes=4\n"),
              "no core model for this configuration in " + path.string() +
                  " (./trnsim core CONFIG.yaml builds one, fidelity fast needs none); there is: core_a.so "
                  "(Rows=8 instead of 4, no "
                  "Lanes); core_b.so (Rows=16 instead of 4, "
                  "no Lanes)");
    std::ofstream(path / "core_c.so") << "not a library";
    EXPECT_NE(error_of("Rows=4\nCols=8\n").find("core_c.so ("), std::string::npos);
    setenv("TRNSIM_CORE_PATH", "/nowhere", 1);
    EXPECT_EQ(
        error_of("Rows=4\n"),
        "no core model for this configuration in /nowhere (./trnsim core CONFIG.yaml builds one, fidelity "
        "fast needs none); there is: none");
    // Differences are not listed to the end.
    setenv("TRNSIM_CORE_PATH", path.c_str(), 1);
    EXPECT_NE(error_of("Rows=4\nCols=4\nA=1\nB=2\nC=3\n")
                  .find("core_a.so (Rows=8 instead of 4, Cols=8 instead of 4, no A, 2 more)"),
              std::string::npos);
}

// Each of them would end the process if any of its code ran.
TEST(LoadCoreModel, RefusesOtherPinsAndProcessorsBeforeAnyCodeOfTheLibraryRuns) {
    const fs::path path = folder();
    setenv("TRNSIM_CORE_PATH", path.c_str(), 1);
    fs::copy_file(TEST_CORE_PINS, path / "core_pins.so");
    fs::copy_file(TEST_CORE_PROCESSOR, path / "core_processor.so");
    fs::copy_file(TEST_CORE_BARE, path / "core_bare.so");
    const std::string message = error_of("Rows=4\nCols=8\n");
    for (const char* expected :
         {"core_pins.so (built for other pins, ./trnsim build builds it again)",
          "core_processor.so (built for another processor, this one lacks a_feature_of_no_processor another; "
          "remove it and build it here)",
          "core_bare.so (not a core library of this version)"}) {
        EXPECT_NE(message.find(expected), std::string::npos) << expected << "\n" << message;
    }
    EXPECT_NE(load_core_model("Rows=8\nCols=8\n"), nullptr) << "the others do no harm";
}

// Removes the features that the label of a library names.
void use_no_features(const fs::path& path) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::size_t label = bytes.find("\ncpu=", bytes.find("abi=")) + 5, end = bytes.find('\n', label);
    ASSERT_LT(label, end) << "the build's own label names features";
    file.seekp(static_cast<std::streamoff>(label));
    file << std::string(end - label, ' ');
}

bool is_loaded(const fs::path& path) {
    std::ifstream maps("/proc/self/maps");
    const std::string text{std::istreambuf_iterator<char>(maps), {}};
    return text.find(path.string()) != std::string::npos;
}

// A package has a core several times, for processors with more and with fewer features.
TEST(LoadCoreModel, PrefersTheOneThatUsesMoreOfTheProcessor) {
    const fs::path path = folder();
    setenv("TRNSIM_CORE_PATH", path.c_str(), 1);
    fs::copy_file(TEST_CORE_A, path / "core_0.so");
    fs::copy_file(TEST_CORE_A, path / "core_c.so");
    use_no_features(path / "core_0.so");
    use_no_features(path / "core_c.so");
    EXPECT_NE(load_core_model("Rows=8\nCols=8\n"), nullptr);
    EXPECT_TRUE(is_loaded(path / "core_a.so"));
    EXPECT_FALSE(is_loaded(path / "core_0.so"));
    EXPECT_FALSE(is_loaded(path / "core_c.so"));
}

// A label that is cut off at any place is refused.
TEST(LoadCoreModel, RefusesLibrariesThatEndEarly) {
    const fs::path path = folder();
    setenv("TRNSIM_CORE_PATH", path.c_str(), 1);
    const std::uintmax_t size = fs::file_size(path / "core_a.so");
    for (std::uintmax_t length = 0; length < size; length += 1 + size / 300) {
        fs::copy_file(TEST_CORE_A, path / "core_a.so", fs::copy_options::overwrite_existing);
        fs::resize_file(path / "core_a.so", length);
        ASSERT_NE(error_of("Rows=8\nCols=8\n").find("core_a.so (not a core library of this version)"),
                  std::string::npos)
            << length;
    }
}

}  // namespace
}  // namespace trnsim::tlm
