// Runs every built-in kernel on random configurations: with any timing the bits are those of the interpreter,
// and the run ends.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>

#include "arch/config/rules.hpp"
#include "arch/config/schema.hpp"
#include "common/random.hpp"
#include "compiler/builder/error.hpp"
#include "rtl_cases.hpp"

namespace trnsim::test {
namespace {

// Returns whether the test varies a key. Keys that shape the RTL need a core for each value; keys of
// capacities and of timeouts are not about timing. Banks have their own test: with extreme values a run takes
// hours.
bool is_varied(const config::Field& field) {
    const bool shapes_rtl = field.key.starts_with("core.") && field.key != "core.clock";
    return std::holds_alternative<config::Number>(field.value) && !shapes_rtl &&
           field.key != "hbm.capacity" && !field.key.starts_with("hbm.banked.") &&
           !field.key.starts_with("runtime.");
}

// Returns an end of the range, or a number in between; all magnitudes are equally likely.
std::uint64_t draw(const config::Number& number, std::mt19937_64& random) {
    const std::uint64_t choice = random() % 6;
    if (choice == 0) return number.minimum;
    if (choice == 1) return number.maximum;
    const double low = std::log2(static_cast<double>(number.minimum) + 1),
                 high = std::log2(static_cast<double>(number.maximum) + 1);
    const double part = static_cast<double>(random() % 1'000'001) / 1e6;
    const auto value = static_cast<std::uint64_t>(std::exp2(low + (high - low) * part)) - 1;
    return std::clamp(value, number.minimum, number.maximum);
}

// Returns a configuration that breaks no rule. Some keys keep their values, so that each key also meets usual
// neighbours.
config::Config random_config(const std::string& base, std::mt19937_64& random,
                             std::optional<std::uint64_t> dma_engines = {}) {
    for (;;) {
        config::Config config = config::load(base);
        for (const config::Field& field : config::schema()) {
            if (!is_varied(field) || random() % 3 == 0) continue;
            const auto& number = std::get<config::Number>(field.value);
            number.of(config) = draw(number, random);
        }
        config.dma.burst = std::bit_floor(config.dma.burst);
        if (dma_engines) config.dma.engines = *dma_engines;
        config.runtime.timeout =
            std::get<config::Number>(config::find_field("runtime.timeout")->value).maximum;
        if (!config::check_rules(config)) return config;
    }
}

std::string text_of(const config::Config& config) {
    std::string text;
    for (const config::Field& field : config::schema())
        if (is_varied(field)) text += fmt::format("{}: {}, ", field.key, config::format_field(field, config));
    return text;
}

class RtlConfigurations : public ::testing::TestWithParam<KernelRow> {
  protected:
    // Returns false if the configuration does not have the rings that the kernel needs.
    bool check(const config::Config& config, std::uint64_t index, std::mt19937_64& random) {
        // A delay of microseconds is simulated cycle by cycle: millions of cycles at 100 GHz.
        constexpr std::uint64_t MaxPerturbedClock = 4'000'000'000;
        const tlm::perturb::Seed seed(random() % 1'000'000);
        const bool perturbed = random() % 2 == 0 && config.core.clock <= MaxPerturbedClock;
        const tlm::perturb::Seed perturb = perturbed ? seed : std::nullopt;
        const std::string place = fmt::format(
            "{}{}", text_of(config), perturb ? fmt::format("perturb {}", *perturb) : "not perturbed");
        try {
            const KernelCase subject(GetParam().kernel, config, choose(GetParam().small, index, random),
                                     random);
            SCOPED_TRACE(fmt::format("{}, {}", subject.name(), place));
            expect_same(subject.on_rtl({}, perturb), subject.interpreted({}, random() % 6));
        } catch (const builder::Error& error) {
            EXPECT_NE(std::string(error.what()).find("queue"), std::string::npos) << place << error.what();
            return false;
        } catch (const std::exception& error) {
            ADD_FAILURE() << GetParam().kernel << ", " << place << ": " << error.what();
        }
        return true;
    }
};

TEST_P(RtlConfigurations, BitsAreTheInterpreters) {
    auto random = generator();
    const std::uint64_t cases = 2 * heavy_scale();
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < cases; ++i)
        while (!check(random_config("small16", random), i, random)) ASSERT_LT(++refused, 10 * cases + 20);
}

TEST_P(RtlConfigurations, BitsAreTheInterpretersWithOneDmaEngine) {
    auto random = generator();
    const std::uint64_t cases = heavy_scale();
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < cases; ++i)
        while (!check(random_config("small16", random, 1), i, random)) ASSERT_LT(++refused, 10 * cases + 20);
}

// Tests prefetches of less than a fetch of descriptors, and of a part of one more.
TEST_P(RtlConfigurations, DmaPrefetch) {
    auto random = generator();
    const std::vector<std::uint64_t> all{2, 3, 4, 5, 6, 7, 8, 9, 15, 16};
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(all.size(), heavy_scale()); ++i) {
        config::Config config = config::load("small16");
        config.dma.prefetch = scale() == 1 ? all[random() % 6] : all[i];
        EXPECT_TRUE(check(config, i, random));
    }
}

INSTANTIATE_TEST_SUITE_P(, RtlConfigurations, ::testing::ValuesIn(kernel_rows()),
                         [](const ::testing::TestParamInfo<KernelRow>& info) { return info.param.kernel; });

}  // namespace
}  // namespace trnsim::test
