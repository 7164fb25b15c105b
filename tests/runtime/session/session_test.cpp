// Tests sessions on a machine without time; session_rtl_test does the same on the RTL.
#include "runtime/session/session.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "common/sample_package.hpp"
#include "common/temporary_directory.hpp"
#include "runtime/session/fake_machine.hpp"

namespace trnsim::runtime {
namespace {

std::unique_ptr<Machine> make_fake(const config::Config&, const MachineOptions& options) {
    return std::make_unique<test::FakeMachine>(options);
}

npy::Array array_of(float first) {
    npy::Array array{npy::Type::F4, {4, 8}, std::vector<std::uint8_t>(128)};
    for (std::size_t i = 0; i < 32; ++i) {
        const float value = first + static_cast<float>(i);
        std::memcpy(&array.data[i * sizeof value], &value, sizeof value);
    }
    return array;
}

const neff::Tensor Matrix{"w", neff::TensorKind::Input, isa::Dtype::Fp32, {4, 8}};

class SessionTest : public testing::Test {
  protected:
    struct Refusal {
        std::string text;
        Status status = Status::Success;
        bool operator==(const Refusal&) const = default;
        friend std::ostream& operator<<(std::ostream& out, const Refusal& failure) {
            return out << static_cast<int>(failure.status) << ": " << failure.text;
        }
    };
    template <typename Call>
    static Refusal refusal_of(Call call) {
        try {
            call();
        } catch (const Error& error) {
            return {error.what(), error.status};
        }
        return {};
    }

    config::Config config_ = test::trn1_config();
    Session session_{config_, make_fake};
    neff::Package package_ = test::sample_package();
};

TEST_F(SessionTest, ExecutesAgainWithOtherInputs) {
    const ModelId model = session_.load(package_);
    for (const float first : {1.F, -5.F, 100.F}) {
        const npy::Array a = array_of(first);
        const Result result = session_.execute(model, {{"a", a}});
        EXPECT_EQ(result.status, Status::Success) << result.message;
        EXPECT_EQ(result.outputs.at("y").data, a.data);
        EXPECT_EQ(result.figures.engine[4].completed, 5u);
    }
}

TEST_F(SessionTest, PackagesDoNotTouchEachOther) {
    const ModelId one = session_.load(package_), other = session_.load(package_);
    const Result first = session_.execute(one, {{"a", array_of(1)}}, {.read_outputs = false});
    EXPECT_TRUE(first.outputs.empty());
    for (int turn = 0; turn < 3; ++turn) {
        for (const ModelId model : {other, one}) {
            const npy::Array a = array_of(static_cast<float>(turn));
            EXPECT_EQ(session_.execute(model, {{"a", a}}).outputs.at("y").data, a.data);
        }
    }
}

TEST_F(SessionTest, TensorsStayOnTheDevice) {
    const TensorId a = session_.allocate(Matrix), y = session_.allocate(Matrix, 1);
    EXPECT_GE(session_.tensor(y).address, addresses::HbmStackStride);
    session_.write(a, array_of(3));
    const ModelId model = session_.load(package_, {.bindings = {{{"a", a}}}});
    EXPECT_EQ(session_.execute(model, Arrays{}).outputs.at("y").data, array_of(3).data);
    EXPECT_TRUE(session_.execute(model, Arrays{}, {.bindings = {{{"y", y}}}}).outputs.empty());
    EXPECT_EQ(session_.read(y).data, array_of(3).data);
    // The output of one execution is the input of the next; then they are swapped.
    const TensorId z = session_.allocate(Matrix);
    session_.execute(model, Arrays{}, {.bindings = {{{"a", y}, {"y", z}}}});
    session_.write(y, array_of(9));
    EXPECT_EQ(session_.read(z).data, array_of(3).data);
    session_.execute(model, Arrays{}, {.bindings = {{{"a", y}, {"y", a}}}});
    EXPECT_EQ(session_.execute(model, Arrays{}).outputs.at("y").data, array_of(9).data);
    // Writes and reads a part of the bytes.
    session_.write(a, 4, std::vector<std::uint8_t>(4));
    std::vector<std::uint8_t> part(8);
    session_.read(a, 0, part);
    EXPECT_EQ(part, (std::vector<std::uint8_t>{0, 0, 0x10, 0x41, 0, 0, 0, 0}))
        << "9.0F, then what was written";
}

TEST_F(SessionTest, NamesShapesAndTypesAreChecked) {
    const ModelId model = session_.load(package_);
    const TensorId right = session_.allocate(Matrix), bytes = session_.allocate(128, "raw"),
                   small = session_.allocate(64, "small"),
                   turned = session_.allocate({"turned", {}, isa::Dtype::Fp32, {8, 4}}),
                   integers = session_.allocate({"integers", {}, isa::Dtype::I32, {4, 8}});
    const auto bind = [&](const Bindings& bindings, const Arrays& inputs = {}) {
        return refusal_of([&] { session_.execute(model, inputs, {.bindings = {bindings}}); });
    };
    using enum Status;
    EXPECT_EQ(bind({}), (Refusal{"kernel 'sample' needs input 'a' of 4x8 fp32", ExecBadInput}));
    EXPECT_EQ(
        bind({{"b", right}}),
        (Refusal{"kernel 'sample' has no input or output 'b'; its inputs: a; its outputs: y", ExecBadInput}));
    EXPECT_EQ(bind({{"scratch", right}}).status, ExecBadInput);
    EXPECT_EQ(bind({{"a", small}}),
              (Refusal{"kernel 'sample', 'a' bound to tensor 'small': 64 bytes, expected 128 (4x8 fp32)",
                       ExecBadInput}));
    EXPECT_EQ(bind({{"a", turned}}),
              (Refusal{"kernel 'sample', 'a' bound to tensor 'turned': 8x4 fp32, expected 4x8 fp32",
                       ExecBadInput}));
    EXPECT_EQ(bind({{"a", integers}}),
              (Refusal{"kernel 'sample', 'a' bound to tensor 'integers': 4x8 i32, expected 4x8 fp32",
                       ExecBadInput}));
    EXPECT_EQ(bind({{"a", right}}, {{"a", array_of(1)}}),
              (Refusal{"input 'a' of kernel 'sample' is given and bound to tensor 'w'", ExecBadInput}));
    EXPECT_EQ(bind({{"a", right}, {"y", right}}),
              (Refusal{"kernel 'sample': 'a' and 'y' are bound to the same tensor, which the kernel writes",
                       ExecBadInput}));
    EXPECT_EQ(bind({{"a", bytes}}), Refusal{});
    npy::Array wrong = array_of(1);
    wrong.type = npy::Type::I4;
    EXPECT_EQ(bind({}, {{"a", wrong}}),
              (Refusal{"input 'a': array of <i4, expected <f4 for fp32", ExecBadInput}));
    EXPECT_EQ(refusal_of([&] { session_.write(right, 120, std::vector<std::uint8_t>(9)); }),
              (Refusal{"9 bytes at offset 120 of tensor 'w', which has 128", Invalid}));
    EXPECT_EQ(refusal_of([&] { session_.read(bytes); }).status, Invalid);
    EXPECT_EQ(refusal_of([&] { session_.allocate(0, "nothing"); }).status, Invalid);
    EXPECT_EQ(refusal_of([&] { session_.allocate(8, "far", 2); }).status, Invalid);
    neff::Package other = package_;
    other.target.rows = 64;
    EXPECT_EQ(refusal_of([&] { session_.load(other); }).status, Invalid);
}

TEST_F(SessionTest, HandlesEndWithWhatTheyStandFor) {
    const TensorId a = session_.allocate(Matrix);
    const ModelId model = session_.load(package_, {.bindings = {{{"a", a}}}});
    EXPECT_EQ(refusal_of([&] { session_.free(a); }),
              (Refusal{"tensor 'w' is 'a' of kernel 'sample', expected that to be unloaded first",
                       Status::Invalid}));
    session_.unload(model);
    session_.free(a);
    const Refusal no_model{"no such model is loaded", Status::InvalidHandle};
    const Refusal no_tensor{"no such tensor is allocated", Status::InvalidHandle};
    EXPECT_EQ(refusal_of([&] { session_.execute(model, Arrays{}); }), no_model);
    EXPECT_EQ(refusal_of([&] { session_.unload(model); }), no_model);
    EXPECT_EQ(refusal_of([&] { session_.free(a); }), no_tensor);
    EXPECT_EQ(refusal_of([&] { session_.read(a); }), no_tensor);
    EXPECT_EQ(refusal_of([&] { session_.load(package_, {.bindings = {{{"a", a}}}}); }), no_tensor);
    EXPECT_EQ(session_.memory().used(), 0u);
    session_.close();
    EXPECT_EQ(refusal_of([&] { session_.load(package_); }).status, Status::Closed);
}

TEST_F(SessionTest, MemoryRunsOutAndComesBack) {
    config_.hbm.capacity = 1 << 20;
    Session session(config_, make_fake);
    std::vector<ModelId> models;
    const auto fill = [&] {
        for (;;) models.push_back(session.load(package_));
    };
    const Refusal full = refusal_of(fill);
    EXPECT_EQ(full.status, Status::Resource);
    EXPECT_NE(full.text.find("HBM is too small: "), std::string::npos) << full.text;
    ASSERT_GT(models.size(), 3u);
    // A load that fails allocates nothing.
    const std::uint64_t used = session.memory().used();
    EXPECT_EQ(refusal_of(fill), full);
    EXPECT_EQ(session.memory().used(), used);
    const npy::Array a = array_of(2);
    EXPECT_EQ(session.execute(models.back(), {{"a", a}}).outputs.at("y").data, a.data);
    session.unload(models[1]);
    models[1] = session.load(package_);
    for (const ModelId model : models) EXPECT_TRUE(session.execute(model, {{"a", a}}).done());
    for (const ModelId model : models) session.unload(model);
    EXPECT_EQ(session.memory().used(), 0u);
    EXPECT_EQ(session.memory().largest(), config_.hbm.capacity);
}

TEST_F(SessionTest, FailuresHaveTheirStatusAndLeaveTheSessionUsable) {
    neff::Package hanging = package_;
    hanging.programs[1][0] = test::wait_for(9, 5);
    const ModelId hang = session_.load(hanging), good = session_.load(package_);
    const Arrays inputs{{"a", array_of(1)}};
    const Result hung = session_.execute(hang, inputs);
    EXPECT_EQ(hung.status, Status::Timeout);
    EXPECT_TRUE(hung.outputs.empty());
    EXPECT_EQ(session_.execute(good, inputs).status, Status::Success);

    // The core of these machines fails.
    for (const auto& [code, status] : {std::pair{isa::Error::AddressRange, Status::ExecOutOfBounds},
                                       {isa::Error::Uncorrectable, Status::ExecUncorrectable},
                                       {isa::Error::Shape, Status::ExecCompletedWithError}}) {
        Session session(config_, [error = code](const config::Config&, const MachineOptions& options) {
            auto machine = std::make_unique<test::FakeMachine>(options);
            machine->fail_core_at(1, 1, error, 0);
            return machine;
        });
        const Result result = session.execute(session.load(package_), inputs);
        EXPECT_EQ(result.status, status) << result.message;
    }
    // A NaN is reported with the outputs.
    Session session(config_, [](const config::Config&, const MachineOptions& options) {
        auto machine = std::make_unique<test::FakeMachine>(options);
        machine->set_numeric_error({.engines = 2, .engine = 1, .opcode = 0, .pc = 0});
        return machine;
    });
    const Result result = session.execute(session.load(package_), inputs);
    EXPECT_EQ(result.status, Status::ExecCompletedWithNumericError);
    EXPECT_EQ(result.outputs.size(), 1u);
}

TEST_F(SessionTest, ASimulationThatBreaksOffEndsTheSession) {
    class Breaking : public test::FakeMachine {
        tlm::RunResult run(std::uint64_t) override { throw tlm::SimulationError("an assertion failed"); }
    };
    Session session(
        config_, [](const config::Config&, const MachineOptions&) { return std::make_unique<Breaking>(); });
    const ModelId model = session.load(package_);
    EXPECT_THROW(session.execute(model, {{"a", array_of(1)}}), tlm::SimulationError);
    EXPECT_EQ(refusal_of([&] {
                  session.execute(model, {{"a", array_of(1)}});
              }).status,
              Status::ExecUnitUnrecoverable);
}

}  // namespace
}  // namespace trnsim::runtime
