// The single-operation cases of the StableHLO project through the evaluator, at the bounds that they state.
//
// Their expected values are those of XLA, whose sums are in another order and whose functions are not exact. So three
// bounds are wider: sums may be apart by the rounding of their terms, elementary functions by a few units in the last
// place, and chains of them in 16 bits by two.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files/files.hpp"
#include "common/lacking.hpp"
#include "compiler/hlo/evaluate/evaluate.hpp"
#include "compiler/hlo/file.hpp"
#include "compiler/hlo/real.hpp"
#include "compiler/hlo/shared_data.hpp"
#include "compiler/hlo/text.hpp"
#include "compiler/hlo/verify.hpp"

namespace trnsim::test {
namespace {

using Json = nlohmann::json;
using hlo::evaluate::Value;

constexpr double FunctionUlps = 4, NarrowChainUlps = 2;

struct Pack {
    std::string blob;
    Json cases;

    std::string cut(const Json& range) const { return blob.substr(range[0], range[1]); }
};

Pack read_pack(const std::filesystem::path& folder, const std::string& name) {
    return {hlo::inflate(files::read(folder / (name + ".bin.gz"))),
            Json::parse(hlo::inflate(files::read(folder / (name + ".json.gz"))))["cases"]};
}

hlo::Shape shape_of(const Json& tensor) {
    return hlo::array(*hlo::find_type(tensor["dtype"].get<std::string>()),
                      tensor["shape"].get<hlo::Integers>());
}

bool has_any(const Json& entry, const std::set<std::string>& opcodes) {
    return std::ranges::any_of(
        entry["opcodes"], [&](const Json& opcode) { return opcodes.contains(opcode.get<std::string>()); });
}

// Steps between the codes of two numbers of a type.
double ulps(hlo::ElementType type, double a, double b) {
    if (!std::isfinite(a) || !std::isfinite(b)) return HUGE_VAL;
    const auto place = [&](double x) {
        const auto magnitude = static_cast<double>(hlo::encode_real(type, std::fabs(x)));
        return std::signbit(x) ? -magnitude : magnitude;
    };
    return std::fabs(place(a) - place(b));
}

class Comparison {
  public:
    Comparison(const Json& entry, const Json& check) : kind_(check["kind"]) {
        const bool sums =
            has_any(entry, {"dot", "convolution", "reduce-window", "ragged-dot", "triangular-solve"});
        if (kind_ == "expect_close") {
            ulps_ = check["max_ulp"];
            widened_ = sums ? Widened::Sums : Widened::Functions;
        } else if (kind_ == "expect_almost_eq") {
            absolute_ = check["abs"];
        }
    }

    // Returns how many elements are wrong.
    std::size_t wrong(const Value& found, const Value& expected) const {
        double largest = 0;
        if (hlo::is_real(found.type)) {
            for (const auto c : expected.view()) {
                const double x = std::fabs(hlo::evaluate::real(c));
                if (std::isfinite(x)) largest = std::max(largest, x);
            }
        }
        std::size_t count = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            count += is_right(found.type, (*found.cells)[i], (*expected.cells)[i], largest) ? 0 : 1;
        return count;
    }

  private:
    enum class Widened : std::uint8_t { No, Functions, Sums };

    bool is_right(hlo::ElementType type, hlo::evaluate::Cell a, hlo::evaluate::Cell b, double largest) const {
        if (!hlo::is_real(type)) return a == b || (kind_ == "expect_close" && a - b + 1 <= 2);
        const double x = hlo::evaluate::real(a), y = hlo::evaluate::real(b);
        if (x == y || (std::isnan(x) && std::isnan(y))) return true;
        if (kind_ == "expect_eq") return false;
        if (kind_ == "expect_almost_eq") return std::fabs(x - y) <= absolute_;
        const int bits = hlo::real_format(type).mantissa_bits;
        // 16 terms, each rounded to half a unit of the largest.
        if (widened_ == Widened::Sums && std::fabs(x - y) <= largest * std::ldexp(8.0, -bits - 1))
            return true;
        return ulps(type, x, y) <= std::max<double>(ulps_, bits < 23 ? NarrowChainUlps : FunctionUlps);
    }

    std::string kind_;
    double ulps_ = 0, absolute_ = 0;
    Widened widened_ = Widened::No;
};

// Returns what is wrong with a case; empty: nothing. Counts those that are refused, by reason.
std::string run_case(const Pack& pack, const Json& entry, std::map<std::string, std::size_t>& refused) {
    const hlo::Module module = hlo::parse_proto(pack.cut(entry["hlo"]));
    if (hlo::serialise(module) != pack.cut(entry["hlo"])) return "other bytes come back";
    try {
        hlo::verify(module);
    } catch (const hlo::Error& error) {
        const std::string reason = error.what();
        if (reason.find("complex numbers are not supported") == std::string::npos) return reason;
        ++refused["complex numbers"];
        return "";
    }
    const std::string text = hlo::print(module);
    if (hlo::print(hlo::parse_text(text)) != text) return "another text comes back";

    hlo::evaluate::Arguments arguments;
    for (const Json& input : entry["inputs"])
        arguments.push_back(hlo::evaluate::from_bytes(shape_of(input), pack.cut(input["data"])));
    const Value result = hlo::evaluate::run(module, arguments);
    const std::vector<Value> results =
        result.type == hlo::ElementType::Tuple ? result.tuple : std::vector<Value>{result};
    if (results.size() != entry["outputs"].size()) return "another number of results";
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Json& output = entry["outputs"][i];
        const hlo::Shape shape = shape_of(output);
        if (!hlo::is_compatible(hlo::evaluate::shape_of(results[i]), shape))
            return "result " + std::to_string(i) + " has another shape";
        const Value expected = hlo::evaluate::from_bytes(shape, pack.cut(output["data"]));
        if (const std::size_t wrong = Comparison(entry, output["check"]).wrong(results[i], expected);
            wrong != 0) {
            return "result " + std::to_string(i) + ": " + std::to_string(wrong) + " of " +
                   std::to_string(results[i].size()) + " elements are wrong";
        }
    }
    return "";
}

void run_pack(const std::string& name, std::size_t expected_cases, std::size_t expected_refusals) {
    const auto folder = shared_data("hlo-conformance");
    if (!folder) TRNSIM_END_WITHOUT("folder shared/data/hlo-conformance beside the tree");
    const Pack pack = read_pack(*folder, name);
    std::map<std::string, std::size_t> refused;
    for (const Json& entry : pack.cases) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        try {
            EXPECT_EQ(run_case(pack, entry, refused), "");
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
    }
    EXPECT_EQ(pack.cases.size(), expected_cases);
    EXPECT_EQ(refused["complex numbers"], expected_refusals);
}

TEST(Conformance, OfTheTestData) {
    run_pack("stablehlo", 1538, 122);
}

TEST(Conformance, OfTheInterpretersTests) {
    run_pack("interpret", 301, 48);
}

}  // namespace
}  // namespace trnsim::test
