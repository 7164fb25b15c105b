// Tests checkpoints as files: a reader gets back what was written, and everything else is refused in one line
// that names the file.
#include "arch/checkpoint/file.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "arch/checkpoint/archive.hpp"
#include "arch/checkpoint/shape.hpp"
#include "base/files/files.hpp"
#include "common/random.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::test {
namespace {

using namespace checkpoint;

constexpr Shape Small{
    .partitions = 4, .sbuf_partition = 64, .psum_partition = 32, .array_rows = 4, .array_columns = 4};

// Returns a random state that fits the shape.
CoreState random_core(std::mt19937_64& random) {
    CoreState core;
    const auto fill = [&random](auto& values) {
        for (auto& value : values) value = static_cast<std::remove_reference_t<decltype(value)>>(random());
    };
    const auto fill_to = [&fill](auto& values, std::size_t size) {
        values.resize(size);
        fill(values);
    };
    for (SequencerState& sequencer : core.sequencers) {
        sequencer.run = static_cast<Run>(random() % 3);
        sequencer.pc = static_cast<std::uint32_t>(random());
        fill(sequencer.registers);
    }
    fill(core.semaphores);
    fill(core.events);
    fill(core.shuffle_mask);
    fill_to(core.sbuf, Small.partitions * Small.sbuf_partition);
    fill_to(core.psum, Small.partitions * Small.psum_partition);
    fill_to(core.sums, core.psum.size() / 4);
    for (GeneratorState* state : {&core.random, &core.vector.rounding, &core.scalar.rounding}) {
        for (std::vector<std::uint32_t>& word : *state) fill_to(word, Small.partitions);
    }
    fill_to(core.vector.accumulators, Small.partitions);
    fill_to(core.scalar.accumulators, Small.partitions);
    fill_to(core.tables.rows, 8 * 16384);
    fill_to(core.tables.exponents, 512);
    StationaryState& tile = core.stationaries.front();
    tile = {.valid = true, .wide = true, .low = true, .rows = 3, .columns = 2, .high = {}, .low_parts = {}};
    fill_to(tile.high, 6);
    fill_to(tile.low_parts, 6);
    return core;
}

SystemState random_state(std::mt19937_64& random) {
    SystemState state;
    state.identity = {"a", "kernel", "here"};
    state.begun = random();
    state.time = random();
    for (const unsigned number : {0U, 3U}) {
        ChipState& chip = state.chips.emplace_back();
        chip.number = number;
        chip.slots.push_back(
            {.slot = 1, .core = random_core(random), .dma = {{1, 2, {{3, 4, 1, 2}}, {{5, 6, 0, 7}}}}});
        chip.hbm = {{{7, {1, 2, 3}}}, {}};
        chip.collective_cores = {{true, {0, random() % 9}, {4, 5, 6}}, {}};
    }
    return state;
}

std::vector<std::uint8_t> bytes_of(SystemState& state) {
    Writer writer;
    archive(writer, state);
    return writer.data();
}

// A state of the core may have every set of tables that the instruction set has, and no other number.
TEST(CheckpointFile, HasEverySetOfTablesAndNoOther) {
    const auto set_of = [](std::uint8_t number) {
        checkpoint::Reader reader(std::span(&number, 1));
        auto set = isa::ActivationSet::None;
        checkpoint::archive(reader, set);
        return set;
    };
    std::set<std::uint8_t> sets;
    for (const isa::EnumValue& value : isa::activation_set_values()) {
        const auto number = static_cast<std::uint8_t>(value.value);
        sets.insert(number);
        EXPECT_EQ(set_of(number), static_cast<isa::ActivationSet>(number));
    }
    for (unsigned number = 0; number < 256; ++number) {
        if (sets.contains(static_cast<std::uint8_t>(number))) continue;
        EXPECT_THROW(set_of(static_cast<std::uint8_t>(number)), checkpoint::Error) << number;
    }
}

TEST(CheckpointFile, KeepsTheState) {
    std::mt19937_64 random(seed());
    const TemporaryDirectory folder;
    for (unsigned i = 0; i < 5; ++i) {
        SystemState state = random_state(random);
        check_shape(state.chips.front().slots.front().core, Small);
        checkpoint::write(folder / "c", state);
        SystemState read = checkpoint::read(folder / "c");
        EXPECT_EQ(bytes_of(read), bytes_of(state));
    }
}

TEST(CheckpointFile, RefusesWhatIsNone) {
    std::mt19937_64 random(seed());
    const TemporaryDirectory folder;
    SystemState state = random_state(random);
    checkpoint::write(folder / "c", state);
    const std::vector<std::uint8_t> good = files::read(folder / "c");
    const auto message = [&](const std::vector<std::uint8_t>& bytes) {
        files::write(folder / "d", bytes);
        std::string text = message_of<checkpoint::Error>([&] { checkpoint::read(folder / "d"); });
        const std::string place = (folder / "d").string() + ": ";
        EXPECT_TRUE(text.starts_with(place)) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
        return text.substr(std::min(place.size(), text.size()));
    };
    EXPECT_EQ(message({}), "no checkpoint, expected a file of --save-checkpoint");
    std::vector<std::uint8_t> bytes = good;
    bytes[0] ^= 1;
    EXPECT_EQ(message(bytes), "no checkpoint, expected a file of --save-checkpoint");
    bytes = good;
    bytes[8] = 9;
    EXPECT_EQ(message(bytes), "a checkpoint of version 9, expected 3");
    bytes = good;
    bytes[22] = 1;  // a byte of the number of bytes
    EXPECT_TRUE(message(bytes).ends_with("expected it to fit"));
    constexpr std::size_t HeaderBytes = 24;
    for (unsigned i = 0; i < 200; ++i) {
        bytes = good;
        if (i % 2 == 0)
            bytes.resize(HeaderBytes + random() % (bytes.size() - HeaderBytes));
        else
            bytes[12 + random() % 4] ^= static_cast<std::uint8_t>(1 + random() % 255);  // the checksum
        EXPECT_EQ(message(bytes), "a damaged checkpoint, its checksum does not fit");
    }
}

// Even without the checksum a state that is cut short is refused: the reader does not trust the sizes in it.
TEST(CheckpointFile, EndsWhereTheStateDoes) {
    std::mt19937_64 random(seed());
    SystemState state = random_state(random);
    const std::vector<std::uint8_t> good = bytes_of(state);
    for (unsigned i = 0; i < 200; ++i) {
        const std::vector<std::uint8_t> cut(good.begin(), good.begin() + random() % good.size());
        Reader reader(cut);
        SystemState read;
        EXPECT_THROW(archive(reader, read), checkpoint::Error);
    }
}

// Whatever the bytes of a state are, they are read as a state or refused.
TEST(CheckpointFile, ReadsOrRefusesAnyBytes) {
    std::mt19937_64 random(seed());
    SystemState state = random_state(random);
    const std::vector<std::uint8_t> good = bytes_of(state);
    unsigned refused = 0;
    for (unsigned i = 0; i < 200 * scale(); ++i) {
        std::vector<std::uint8_t> changed = good;
        for (unsigned k = 0; k < 3; ++k) changed[random() % 300] = static_cast<std::uint8_t>(random());
        Reader reader(changed);
        SystemState read;
        try {
            archive(reader, read);
            for (const ChipState& chip : read.chips)
                for (const SlotState& slot : chip.slots)
                    for (const SequencerState& sequencer : slot.core.sequencers)
                        EXPECT_LE(sequencer.run, Run::Halted);
        } catch (const checkpoint::Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 50u);
}

TEST(CheckpointFile, RefusesWhatIsNeitherTrueNorFalse) {
    for (const unsigned byte : {0U, 1U, 2U, 255U}) {
        const std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(byte)};
        Reader reader(bytes);
        bool value = false;
        if (byte > 1) {
            EXPECT_THROW(archive(reader, value), checkpoint::Error) << byte;
        } else {
            archive(reader, value);
            EXPECT_EQ(value, byte == 1);
        }
    }
}

TEST(CheckpointFile, RefusesWhatNamesNoState) {
    for (const unsigned byte : {2U, 3U, 255U}) {
        const std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(byte)};
        Reader reader(bytes);
        checkpoint::Run run = checkpoint::Run::Idle;
        if (byte > 2) {
            EXPECT_THROW(archive(reader, run), checkpoint::Error) << byte;
        } else {
            archive(reader, run);
            EXPECT_EQ(run, checkpoint::Run::Halted);
        }
    }
}

// A length that the bytes may have is believed element by element, not by making as many at once.
TEST(CheckpointFile, MakesNoMoreElementsThanThereAre) {
    std::vector<std::uint8_t> bytes(1 << 20);
    const std::uint64_t many = bytes.size() - sizeof many;
    std::memcpy(bytes.data(), &many, sizeof many);
    Reader reader(bytes);
    std::vector<CoreState> cores;
    EXPECT_THROW(archive(reader, cores), checkpoint::Error);
    EXPECT_LT(cores.capacity(), 1000u);
}

TEST(CheckpointShape, TellsWhatDoesNotFit) {
    std::mt19937_64 random(seed());
    const CoreState good = random_core(random);
    const auto message = [&good](auto change) {
        CoreState core = good;
        change(core);
        return message_of<checkpoint::Error>([&] { check_shape(core, Small); });
    };
    EXPECT_EQ(message([](CoreState&) {}), "");
    EXPECT_EQ(message([](CoreState& core) { core.sbuf.pop_back(); }),
              "bytes of SBUF of 255 in the checkpoint, expected 256");
    EXPECT_EQ(message([](CoreState& core) { core.psum.push_back(0); }),
              "bytes of PSUM of 129 in the checkpoint, expected 128");
    EXPECT_EQ(message([](CoreState& core) { core.sbuf_written.resize(3); }),
              "marks of written words of 3 in the checkpoint, expected 64");
    EXPECT_EQ(message([](CoreState& core) { core.random[5].clear(); }),
              "generators of rng of 0 in the checkpoint, expected 4");
    EXPECT_EQ(message([](CoreState& core) { core.stationaries[0].rows = 5; }),
              "a stationary operand of 5 x 2 in the checkpoint, expected at most 4 x 4");
    EXPECT_EQ(message([](CoreState& core) { core.stationaries[0].low_parts.clear(); }),
              "low parts of a stationary operand of 0 in the checkpoint, expected 6");
    EXPECT_EQ(message([](CoreState& core) { core.tables.exponents.clear(); }),
              "exponents of activation tables of 0 in the checkpoint, expected 512");
}

}  // namespace
}  // namespace trnsim::test
