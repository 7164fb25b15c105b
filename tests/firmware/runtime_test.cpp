// Start-up, traps, printing, memory and the device library of custom operators.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "arch/firmware/status.hpp"
#include "tests/common/random.hpp"
#include "tests/firmware/custom_op_support.hpp"

namespace trnsim::test {
namespace {

class Runtime : public CustomOp {
  protected:
    // Arguments of an operator that takes no tensors except the destination, which it does not use.
    static CustomOpArguments plain(std::initializer_list<std::uint32_t> scalars = {}) {
        return arguments_of({tensor(0, 1, 0, Dtype::Fp32, 4, 1)}, scalars);
    }

    std::uint32_t command_of(const std::string& name) { return CustomOp::command_of(core_, name); }

    Mailbox trap_of(const std::string& name, const CustomOpArguments& arguments) {
        const Mailbox mailbox = SimulatedCore::mailbox_of(core_.tcm_after(command_of(name), arguments));
        EXPECT_EQ(mailbox.status, Status::Trapped);
        EXPECT_EQ(mailbox.completed, mailbox.request);
        return mailbox;
    }

    SimulatedCore core_{load_image("checks")};
};

TEST_F(Runtime, CompletesARequest) {
    const Mailbox mailbox = SimulatedCore::mailbox_of(core_.tcm_after(command_of("check_heap"), plain()));
    EXPECT_EQ(mailbox.magic, MailboxMagic);
    EXPECT_EQ(mailbox.status, Status::Ok);
    EXPECT_EQ(mailbox.completed, mailbox.request);
    EXPECT_EQ(mailbox.printed, 0U);
}

TEST_F(Runtime, HeapAndMemoryFunctions) {
    EXPECT_EQ(core_.run(command_of("check_heap"), plain()), Status::Ok);
    EXPECT_EQ(core_.run(command_of("check_memory"), plain()), Status::Ok);
}

TEST_F(Runtime, Prints) {
    char expected[600];
    int size = std::snprintf(expected, sizeof(expected), "%d|%5d|%-5d|%05d|%u|%x|%X|%08x\n", -7, -7, -7, -7,
                             4000000000U, 0xbeefU, 0xbeefU, 0x1fU);
    size += std::snprintf(expected + size, 200, "%s|%6s|%-6s|%.2s|%c|%%|%d\n", "text", "ab", "ab", "text",
                          'x', 42);
    size += std::snprintf(expected + size, 200, "%f|%.0f|%.1f|%9.3f|%-9.2f|%09.2f|%.3f\n", 1.5, 2.5, 0.25,
                          -3.14159, 2.0, -1.25, static_cast<double>(123456.789F));
    std::snprintf(expected + size, 200, "inf|-nan|%.9f|1|(missing)\n", 0x1p-24);
    EXPECT_EQ(SimulatedCore::printed(core_.tcm_after(command_of("print_all"), plain())), expected);
}

// Prints the same as the host's C library.
TEST_F(Runtime, PrintsWithFlags) {
    for (const std::int32_t value : {0, 1, -1, 42, -12345, 0x7fffffff, -0x7fffffff - 1}) {
        for (const std::int32_t width : {-9, 0, 3, 12}) {
            char expected[300];
            const auto bits = static_cast<std::uint32_t>(value);
            std::snprintf(expected, sizeof(expected),
                          "%+d|% d|%#x|%#X|%.5d|%+08d|%-+8d|%8.3d|%.0d|%*d|%-*d|%.*d\n", value, value, bits,
                          bits, value, value, value, value, value, width, value, width, value, width, value);
            const auto arguments = plain({bits, static_cast<std::uint32_t>(width)});
            EXPECT_EQ(SimulatedCore::printed(core_.tcm_after(command_of("print_flags"), arguments)),
                      expected);
        }
    }
}

TEST_F(Runtime, PrintsAllDigitsOfAFloat) {
    std::vector<std::uint32_t> values{0x3d4ccccd, 0x3eb33333, 0x3f59999a, 0x3f733333, 0x3f7eb852, 0x4f800000,
                                      0x4f7fffff, 0x7f7fffff, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
                                      0x3f000000, 0x3fc00000, 0x40200000, 0x3e800000, 0x80000000, 0x00000000,
                                      0x411fffff, 0x42c7ffff, 0x7f800000, 0xff800000, 0x497423ff, 0xcb189680};
    std::mt19937 random(static_cast<std::uint32_t>(seed()));
    for (std::uint64_t k = 0; k < 50 * scale(); ++k) values.push_back(random());
    for (std::uint64_t k = 0; k < 50 * scale(); ++k)
        values.push_back((random() & 0x80ffffff) | (118 + random() % 14) << 23);
    for (const std::uint32_t bits : values) {
        const double value = std::bit_cast<float>(bits);
        if (std::isnan(value)) continue;
        const int precision = static_cast<int>(random() % 40);
        char expected[1000];
        std::snprintf(expected, sizeof(expected), "%.*f|%f|%+015.4f|% .0f|%#.0f|%-12.1f|\n", precision, value,
                      value, value, value, value, value);
        const auto arguments = plain({bits, static_cast<std::uint32_t>(precision)});
        EXPECT_EQ(SimulatedCore::printed(core_.tcm_after(command_of("print_float"), arguments)), expected)
            << std::hex << bits;
    }
}

TEST_F(Runtime, KeepsTheNewestOfWhatIsPrinted) {
    std::string all;
    for (int k = 0; k < 700; ++k) all += "line " + std::to_string(k) + "\n";
    const auto tcm = core_.tcm_after(command_of("print_much"), plain({700}));
    EXPECT_EQ(SimulatedCore::mailbox_of(tcm).printed, all.size());
    EXPECT_EQ(SimulatedCore::printed(tcm), all.substr(all.size() - TRNSIM_PRINT_BYTES));
}

TEST_F(Runtime, ReportsATrapWithItsPlace) {
    const Mailbox mailbox = trap_of("load_from_nowhere", plain());
    EXPECT_EQ(mailbox.trap.cause, 5U);
    EXPECT_EQ(mailbox.trap.value, 0x80010000U);
    const std::string where = place(core_.image(), mailbox.trap.pc);
    EXPECT_NE(where.find("load_from_nowhere"), std::string::npos) << where;
    EXPECT_NE(where.find("checks.cpp:"), std::string::npos) << where;
}

TEST_F(Runtime, StackOverflowIsAFaultBelowTheTcm) {
    EXPECT_EQ(core_.run(command_of("overflow_stack"), plain({15})), Status::Ok);
    const Mailbox mailbox = trap_of("overflow_stack", plain({200}));
    EXPECT_EQ(mailbox.trap.cause, 7U);
    EXPECT_LT(mailbox.trap.value, static_cast<std::uint32_t>(TRNSIM_TCM_BASE));
    EXPECT_LT(mailbox.trap.stack, static_cast<std::uint32_t>(TRNSIM_TCM_BASE));
}

TEST_F(Runtime, AccessorsStopAtTheEndOfTheirTensor) {
    const auto in = tensor(0, 16, 0, Dtype::Fp32, 4, 5);
    EXPECT_EQ(trap_of("index_beyond", arguments_of({in, in}, {})).trap.cause, 2U);
}

TEST_F(Runtime, WhatDoesNotHoldNamesTheLineOfTheOperator) {
    const auto source = files::read(TRNSIM_FIRMWARE_TEST_SOURCES "/checks.cpp");
    const std::string text(source.begin(), source.end());
    const auto line_of = [&text](const std::string& code) {
        const auto at = text.begin() + static_cast<std::ptrdiff_t>(text.find(code));
        return 1 + std::count(text.begin(), at, '\n');
    };
    const auto in = tensor(0, 16, 0, Dtype::Fp32, 4, 5);
    const std::vector<std::string> lines{"require(which != 0)", "require(which != 1)", "if (which == 2)",
                                         "if (which == 3)",     "if (which == 4)",     "if (which == 5)",
                                         "if (which == 6)",     "if (which == 7)"};
    for (std::uint32_t which = 0; which < lines.size(); ++which) {
        const Mailbox mailbox = trap_of("require_all", arguments_of({in, in}, {which}));
        const std::string where = text_of_end(&core_.image(), mailbox);
        EXPECT_TRUE(where.starts_with("illegal instruction 0xc0001073 (require) at ")) << where;
        EXPECT_TRUE(where.ends_with("tests/firmware/checks.cpp:" + std::to_string(line_of(lines[which]))))
            << where;
    }
    EXPECT_EQ(core_.run(command_of("require_all"), arguments_of({in, in}, {8})), Status::Ok);
}

TEST_F(Runtime, WrongNumbersOfArgumentsAreTold) {
    const auto one = tensor(0, 16, 0, Dtype::Fp32, 4, 5);
    const auto tcm = core_.tcm_after(command_of("require_all"), arguments_of({one}, {1, 2, 3}));
    EXPECT_EQ(text_of_end(&core_.image(), SimulatedCore::mailbox_of(tcm)),
              "require_all: 1 tensors and 3 scalars, expected 2 and 1");
}

TEST_F(Runtime, StaticObjectsMayHaveDestructors) {
    EXPECT_EQ(core_.run(command_of("check_static"), plain()), Status::Ok);
}

TEST_F(Runtime, ElementsByStreamAndAccessor) {
    core_.core = 3;
    core_.slice = Slice(4096);
    for (std::uint32_t p = 0; p < 16; ++p) {
        for (std::uint32_t k = 0; k < 2048; ++k)
            core_.slice.set(p, 2 * k, static_cast<std::int16_t>(random_()));
    }
    // The tensor has partitions 53 to 72; the first eleven are the last ones of core 3.
    const TensorDescriptor in{53, 6, Dtype::I16, 3, {20, 13, 7}, {0, 2 * 9, 2}};
    const TensorDescriptor out{53, 2000, Dtype::I16, 3, {20, 7, 13}, {0, 2 * 13, 2}};
    Slice expected = core_.slice;
    for (std::uint32_t p = 5; p < 16; ++p) {
        for (std::uint32_t i = 0; i < 13; ++i) {
            for (std::uint32_t j = 0; j < 7; ++j) {
                expected.set(
                    p, 2000 + 26 * j + 2 * i,
                    static_cast<std::int16_t>(2 * core_.slice.get<std::int16_t>(p, 6 + 18 * i + 2 * j) + 3));
            }
        }
    }
    ASSERT_EQ(core_.run(command_of("elements"), arguments_of({in, out}, {})), Status::Ok);
    EXPECT_EQ(core_.slice.bytes, expected.bytes);
}

TEST_F(Runtime, StreamsOfBytes) {
    core_.slice = Slice(1024);
    for (auto& byte : core_.slice.bytes) byte = static_cast<std::uint8_t>(random_());
    Slice expected = core_.slice;
    for (std::uint32_t p = 0; p < 16; ++p) {
        for (std::uint32_t k = 0; k < 137; ++k) {
            expected.set(p, 501 + k, static_cast<std::int8_t>(-core_.slice.get<std::int8_t>(p, 3 + k)));
        }
    }
    const auto in = tensor(0, 128, 3, Dtype::I8, 1, 137), out = tensor(0, 128, 501, Dtype::I8, 1, 137);
    ASSERT_EQ(core_.run(command_of("stream_out"), arguments_of({in, out}, {})), Status::Ok);
    EXPECT_EQ(core_.slice.bytes, expected.bytes);
}

TEST_F(Runtime, RefusesArgumentsThatDoNotFit) {
    const auto good = tensor(0, 16, 0, Dtype::I8, 1, 5);
    const auto refused = [&](const CustomOpArguments& arguments) {
        EXPECT_EQ(core_.run(command_of("stream_out"), arguments), Status::BadArguments);
    };
    refused(arguments_of({good}, {}));
    refused(arguments_of({good, good, good}, {}));
    refused(arguments_of({good, good}, {1}));
    refused(arguments_of({tensor(0, 0, 0, Dtype::I8, 1, 5), good}, {}));
    refused(arguments_of({tensor(120, 9, 0, Dtype::I8, 1, 5), good}, {}));
    refused(arguments_of({tensor(0, 16, PartitionBytes - 4, Dtype::I8, 1, 5), good}, {}));
    refused(arguments_of({tensor(0, 16, 3, Dtype::I8, static_cast<std::uint32_t>(-1), 5), good}, {}));
    refused(arguments_of({tensor(0, 16, 2, Dtype::Fp32, 4, 5), good}, {}));
    refused(arguments_of({tensor(0, 16, 0, Dtype::Fp32, 2, 5), good}, {}));
    refused(arguments_of({tensor(0, 16, 0, static_cast<Dtype>(7), 2, 5), good}, {}));
    EXPECT_EQ(core_.run(command_of("gives_up"), plain()), Status::Failed);
    EXPECT_EQ(core_.run(99, plain()), Status::UnknownCommand);
}

}  // namespace
}  // namespace trnsim::test
