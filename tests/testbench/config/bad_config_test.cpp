// Every kind of bad input and the one line it must produce. Each case is a variant of trn1; FILE stands for
// its path.
#include <gtest/gtest.h>

#include <fstream>

#include "testbench/config/config.hpp"

namespace trnsim::config {
namespace {

namespace fs = std::filesystem;

struct Bad {
    const char* name;
    const char* text;     // after "extends: trn1.yaml\n", so it starts at line 2
    const char* message;  // after the path
};

constexpr Bad Cases[] = {
    {"UnknownKey", "core:\n  array: { rows: 8, colums: 8 }\n",
     ":3:21: unknown key 'core.array.colums', expected one like 'core.array.columns'"},
    {"UnknownSection", "hmb: { stacks: 1 }\n", ":2:1: unknown key 'hmb', expected one like 'hbm'"},
    {"KeyTwice", "dma: { rings: 1, rings: 2 }\n", ":2:18: dma.rings: found twice, expected once"},
    {"NotYaml", "core: { array: [ }\n", ":2:18: not YAML: illegal flow end"},
    {"ValueForSection", "core: 3\n", ":2:7: core: found a value, expected a mapping of keys"},
    {"NothingForSection", "core:\n", ":2:1: core: found nothing, expected a mapping of keys"},
    {"ListForValue", "hbm: { stacks: [1, 2] }\n", ":2:16: hbm.stacks: found a list, expected a value"},
    {"NothingForValue", "hbm:\n  stacks:\n", ":3:3: hbm.stacks: found nothing, expected a value"},
    {"MappingForValue", "hbm: { stacks: { a: 1 } }\n",
     ":2:16: hbm.stacks: found a mapping, expected a value"},
    {"NotANumber", "hbm: { stacks: two }\n", ":2:16: hbm.stacks: found 'two', expected a whole number"},
    {"NegativeNumber", "hbm: { stacks: -1 }\n", ":2:16: hbm.stacks: found '-1', expected a whole number"},
    {"FractionOfANumber", "hbm: { stacks: 1.5 }\n",
     ":2:16: hbm.stacks: found '1.5', expected a whole number"},
    {"NoUnit", "hbm: { capacity: 16 }\n",
     ":2:18: hbm.capacity: found '16', expected a size such as '24 MiB'"},
    {"DecimalSize", "hbm: { capacity: 16 GB }\n",
     ":2:18: hbm.capacity: found '16 GB', expected a size such as '24 MiB'"},
    {"WrongUnit", "hbm: { read_latency: 3 GHz }\n",
     ":2:22: hbm.read_latency: found '3 GHz', expected a time such as '1300 ns'"},
    {"RateWithoutTime", "hbm: { bandwidth: 820 GB }\n",
     ":2:19: hbm.bandwidth: found '820 GB', expected a rate such as '820 GB/s'"},
    {"BadFrequency", "core: { clock: fast }\n",
     ":2:16: core.clock: found 'fast', expected a frequency such as '2.8 GHz'"},
    {"BadRatio", "core: { clock_ratio: { vector: 0.4 } }\n",
     ":2:32: core.clock_ratio.vector: found '0.4', expected a fraction such as '2/5'"},
    {"RatioAboveOne", "core: { clock_ratio: { vector: 5/2 } }\n",
     ":2:32: core.clock_ratio.vector: found '5/2', expected a fraction above 0, at most 1/1, with a "
     "denominator of at "
     "most 64"},
    {"RatioZero", "core: { clock_ratio: { vector: 0/2 } }\n",
     ":2:32: core.clock_ratio.vector: found '0/2', expected a fraction above 0, at most 1/1, with a "
     "denominator of at "
     "most 64"},
    {"BadName", "name: my chip\n", ":2:7: name: found 'my chip', expected letters, digits, '_', '-' and '.'"},
    {"BelowRange", "dma: { engines: 0 }\n", ":2:17: dma.engines: found '0', expected 1 to 16"},
    {"AboveRange", "dma: { start_latency: 1 s }\n",
     ":2:23: dma.start_latency: found '1 s', expected 0 fs to 100 us"},
    {"RowsNotMultiple", "core: { array: { rows: 6 } }\n",
     ":2:24: core.array.rows: found '6', expected a multiple of 4"},
    {"ColumnsNotMultiple", "core: { array: { columns: 30 } }\n",
     ":2:27: core.array.columns: found '30', expected a multiple of 4"},
    {"RowsBeyondPartitions", "core: { array: { rows: 256 } }\n",
     ":2:24: core.array.rows: found '256', expected at most core.partitions, 128"},
    {"ColumnsBeyondPartitions", "core:\n  array: { columns: 256 }\n",
     ":3:21: core.array.columns: found '256', expected at most core.partitions, 128"},
    {"PartitionsNotPowerOfTwo", "core: { partitions: 130 }\n",
     ":2:21: core.partitions: found '130', expected a power of two"},
    {"SbufGranule", "core: { sbuf_partition: 130 KiB }\n",
     ":2:25: core.sbuf_partition: found '130 KiB', expected a multiple of 4 KiB"},
    {"SbufBeyondWindow", "core: { partitions: 256, sbuf_partition: 132 KiB }\n",
     ":2:42: core.sbuf_partition: found '132 KiB', expected at most 128 KiB, the share of a partition in the "
     "32 MiB window"},
    {"PsumTooLarge", "core: { psum_partition: 32 KiB }\n",
     ":2:25: core.psum_partition: found '32 KiB', expected 512 B to 16 KiB"},
    {"PsumNotPowerOfTwo", "core: { psum_partition: 12 KiB }\n",
     ":2:25: core.psum_partition: found '12 KiB', expected a power of two"},
    {"BanksNotPowerOfTwo", "core: { psum_banks: 6 }\n",
     ":2:21: core.psum_banks: found '6', expected a power of two"},
    {"BankTooSmall", "core: { psum_partition: 2 KiB }\n",
     "trn1.yaml:9:15: core.psum_banks: found '8', expected banks of at least 512 B"},
    {"DataBits", "core: { bus: { data_bits: 768 } }\n",
     ":2:27: core.bus.data_bits: found '768', expected a power of two"},
    {"BusTooNarrow", "core: { bus: { ports: 1 } }\n",
     ":2:23: core.bus.ports: found '1', expected ports and data_bits that carry 16 DMA engines of 27.2 GB/s "
     "each"},
    {"FetchBurst", "core: { fetch: { prefetch: 4 } }\n",
     "trn1.yaml:23:12: core.fetch.burst: found '8', expected at most core.fetch.prefetch, 4"},
    {"CapacityGranule", "hbm: { capacity: 65 KiB }\n",
     ":2:18: hbm.capacity: found '65 KiB', expected a multiple of 4 KiB"},
    {"BurstNotPowerOfTwo", "dma: { burst: 768 B }\n",
     ":2:15: dma.burst: found '768 B', expected a power of two"},
};

fs::path folder() {
    const fs::path path = fs::path(testing::TempDir()) / "bad";
    fs::create_directories(path);
    std::ofstream(path / "trn1.yaml")
        << show(load("trn1"));  // one key a line, whatever the shipped file looks like
    return path;
}

std::string message_of(const std::string& config) {
    try {
        load(config);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

std::string write(const std::string& name, const std::string& text) {
    const fs::path path = folder() / name;
    std::ofstream(path) << text;
    return path.string();
}

class BadConfig : public testing::TestWithParam<Bad> {};

TEST_P(BadConfig, SaysWhatWhereAndWhatWasExpected) {
    const Bad& bad = GetParam();
    const std::string path = write("variant.yaml", std::string("extends: trn1.yaml\n") + bad.text);
    const std::string file = bad.message[0] == ':' ? path : folder().string() + "/";
    EXPECT_EQ(message_of(path), file + bad.message);
}

INSTANTIATE_TEST_SUITE_P(Cases, BadConfig, testing::ValuesIn(Cases),
                         [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });

TEST(BadFiles, MissingKey) {
    const std::string path = write("missing.yaml", "name: x\n");
    EXPECT_EQ(message_of(path),
              path + ":1:1: core.array.rows: found nothing, expected it here or in a file this one extends");
}

TEST(BadFiles, NoMapping) {
    const std::string path = write("list.yaml", "- 1\n");
    EXPECT_EQ(message_of(path), path + ":1:1: found a list, expected a mapping of keys");
    const std::string empty = write("empty.yaml", "");
    EXPECT_EQ(message_of(empty), empty + ":1:1: found nothing, expected a mapping of keys");
}

TEST(BadFiles, ExtendsNothing) {
    const std::string path = write("orphan.yaml", "extends: gone.yaml\n");
    EXPECT_EQ(message_of(path),
              path + ":1:10: extends: found 'gone.yaml', expected a configuration file beside this one");
}

TEST(BadFiles, ExtendsInACircle) {
    const std::string a = write("a.yaml", "extends: b.yaml\n");
    const std::string b = write("b.yaml", "extends: a.yaml\n");
    EXPECT_EQ(message_of(a),
              b + ":1:10: extends: found 'a.yaml', expected a file that does not lead back here");
    const std::string self = write("self.yaml", "extends: self.yaml\n");
    EXPECT_EQ(message_of(self),
              self + ":1:10: extends: found 'self.yaml', expected a file that does not lead back here");
}

TEST(BadFiles, NoSuchFile) {
    EXPECT_EQ(message_of("nowhere/x.yaml"), "nowhere/x.yaml: no such file, expected a configuration file");
}

TEST(BadFiles, UnknownName) {
    EXPECT_EQ(message_of("trn2").substr(0, 88),
              "configuration 'trn2' is not known, expected one like 'trn1' or the path of a file (there");
}

}  // namespace
}  // namespace trnsim::config
