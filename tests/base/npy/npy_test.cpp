#include "base/npy/npy.hpp"

#include <gtest/gtest.h>

#include "common/random.hpp"
#include "common/temporary_directory.hpp"

namespace trnsim::npy {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Returns a version 1.0 file with this header text and data.
Bytes file(const std::string& header, const Bytes& data) {
    std::string text("\x93NUMPY\x01\0", 8);
    text += {static_cast<char>(header.size()), static_cast<char>(header.size() >> 8)};
    text += header;
    text.append(data.begin(), data.end());
    return {text.begin(), text.end()};
}

std::string error_of(const Bytes& bytes) {
    return test::message_of<Error>([&] { parse(bytes, "x.npy"); });
}

TEST(Npy, RoundTripOfEveryTypeAndRank) {
    auto generator = test::generator();
    for (const Type type : {Type::F4, Type::F2, Type::I4, Type::U4, Type::I2, Type::U2, Type::I1, Type::U1,
                            Type::V2, Type::V1}) {
        for (const std::vector<std::uint64_t>& shape :
             {std::vector<std::uint64_t>{}, {7}, {3, 5}, {2, 3, 4}, {0, 4}}) {
            Array array{type, shape, {}};
            std::size_t bytes = item_bytes(type);
            for (const auto dimension : shape) bytes *= dimension;
            for (std::size_t i = 0; i < bytes; ++i)
                array.data.push_back(static_cast<std::uint8_t>(generator()));
            const Bytes written = serialise(array);
            const Array back = parse(written, "x.npy");
            EXPECT_EQ(back.type, array.type);
            EXPECT_EQ(back.shape, array.shape);
            EXPECT_EQ(back.data, array.data);
            EXPECT_EQ((written.size() - bytes) % 64, 0u) << "data is aligned as NumPy aligns it";
        }
    }
}

TEST(Npy, WritesWhatNumpyWrites) {
    const Bytes bytes = serialise({Type::F4, {3, 5}, Bytes(60)});
    const std::string expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }";
    ASSERT_EQ(bytes.size(), 128u + 60u);
    EXPECT_EQ(std::string(bytes.begin() + 10, bytes.begin() + 10 + static_cast<long>(expected.size())),
              expected);
    EXPECT_EQ(bytes[127], '\n');
    EXPECT_EQ(bytes[8], 118);
}

TEST(Npy, ReadsVersion2AndForeignSpelling) {
    const std::string header = "{\"shape\":(2,) ,'fortran_order':False, \"descr\":'|V2'}\n";
    Bytes bytes{0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, static_cast<std::uint8_t>(header.size()), 0, 0, 0};
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.insert(bytes.end(), {1, 2, 3, 4});
    const Array array = parse(bytes, "x.npy");
    EXPECT_EQ(array.type, Type::V2);
    EXPECT_EQ(array.shape, std::vector<std::uint64_t>{2});
}

TEST(Npy, LongHeaderBecomesVersion2) {
    const Array array{Type::U1, std::vector<std::uint64_t>(30000, 1), Bytes(1)};
    const Bytes bytes = serialise(array);
    EXPECT_EQ(bytes[6], 2);
    EXPECT_EQ(parse(bytes, "x.npy").shape, array.shape);
}

TEST(Npy, OneClearLineForEachDefect) {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    ASSERT_EQ(error_of(file(good, Bytes(8))), "");
    const std::pair<Bytes, const char*> cases[] = {
        {{}, "x.npy: not a .npy file"},
        {Bytes(100), "not a .npy file"},
        {file("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", Bytes(8)), "big-endian"},
        {file("{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }", Bytes(16)),
         "'<c8': expected one of <f4"},
        {file("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", Bytes(8)), "expected C order"},
        {file("{'descr': '<f4', 'fortran_order': False}", Bytes(8)), "no key 'shape'"},
        {file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", Bytes(8)),
         "unknown key 'x'"},
        {file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", Bytes(8)),
         "expected a string"},
        {file("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", Bytes(8)), "expected True or False"},
        {file("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", Bytes(8)), "expected a dimension"},
        {file("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 9999999999)}", Bytes(8)),
         "larger than any file"},
        {file(good, Bytes(7)), "7 bytes of data: expected 8 for shape 2 of <f4"},
        {file(good, Bytes(9)), "9 bytes of data"},
    };
    for (const auto& [bytes, expected] : cases) {
        const std::string message = error_of(bytes);
        EXPECT_NE(message.find(expected), std::string::npos)
            << "expected: " << expected << "\nfound: " << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
    Bytes version = file(good, Bytes(8));
    version[6] = 3;
    EXPECT_NE(error_of(version).find("format version 3.0"), std::string::npos);
}

TEST(Npy, EveryTruncationIsRefused) {
    const Bytes bytes = serialise({Type::U1, {4}, Bytes(4)});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_NE(error_of(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(size))), "") << size;
    }
}

// Files that are written and read in pieces are those that are written and read at once.
TEST(Npy, FilesInPieces) {
    const test::TemporaryDirectory folder;
    Array array{Type::I2, {3, 5}, {}};
    for (std::uint8_t i = 0; i < 30; ++i) array.data.push_back(i);
    OutputFile out(folder / "p.npy", array.type, array.shape);
    out.write(std::span(array.data).first(7));
    EXPECT_FALSE(std::filesystem::exists(folder / "p.npy"));
    out.write(std::span(array.data).subspan(7));
    out.commit();
    EXPECT_EQ(files::read(folder / "p.npy"), serialise(array));

    InputFile in(folder / "p.npy");
    EXPECT_EQ(in.type(), Type::I2);
    EXPECT_EQ(in.shape(), array.shape);
    EXPECT_EQ(in.bytes(), 30u);
    Bytes first(11), rest(19);
    in.read(first);
    in.read(rest);
    first.insert(first.end(), rest.begin(), rest.end());
    EXPECT_EQ(first, array.data);
    EXPECT_THROW(in.read(rest), files::Error);

    OutputFile short_one(folder / "s.npy", array.type, array.shape);
    short_one.write(std::span(array.data).first(29));
    EXPECT_EQ(test::message_of<Error>([&] { short_one.commit(); }), "29 bytes of data written, expected 30");
    EXPECT_FALSE(std::filesystem::exists(folder / "s.npy"));
}

TEST(Npy, ReadAndWriteFiles) {
    const test::TemporaryDirectory dir;
    write(dir / "a.npy", {Type::I2, {2}, {1, 2, 3, 4}});
    EXPECT_EQ(read(dir / "a.npy").data, (Bytes{1, 2, 3, 4}));
    EXPECT_THROW(write(dir / "b.npy", {Type::I2, {2}, {1}}), Error);
    EXPECT_EQ(dir.entries(), 1u);
}

}  // namespace
}  // namespace trnsim::npy
