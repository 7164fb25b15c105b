#include "compiler/neff/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>

#include "compiler/neff/error.hpp"

namespace trnsim::neff {
namespace {

constexpr std::size_t TarBlock = 512;
constexpr std::int64_t MaxMemberBytes = std::int64_t{1} << 32;

struct WriterFree {
    void operator()(archive* a) const { archive_write_free(a); }
};
struct ReaderFree {
    void operator()(archive* a) const { archive_read_free(a); }
};
struct EntryFree {
    void operator()(archive_entry* e) const { archive_entry_free(e); }
};

void expect_ok(archive* a, int status) {
    if (status < ARCHIVE_OK)
        throw Error(fmt::format("tar: {}", archive_error_string(a) ? archive_error_string(a) : "damaged"));
}

la_ssize_t append(archive*, void* sink, const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    auto& out = *static_cast<std::vector<std::uint8_t>*>(sink);
    out.insert(out.end(), bytes, bytes + size);
    return static_cast<la_ssize_t>(size);
}

}  // namespace

std::vector<std::uint8_t> make_tar(const Members& members) {
    std::vector<std::uint8_t> tar;
    const std::unique_ptr<archive, WriterFree> writer(archive_write_new());
    archive* a = writer.get();
    expect_ok(a, archive_write_set_format_ustar(a));
    expect_ok(a, archive_write_set_bytes_per_block(a, TarBlock));
    expect_ok(a, archive_write_set_bytes_in_last_block(a, TarBlock));
    expect_ok(a, archive_write_open(a, &tar, nullptr, append, nullptr));
    for (const auto& [path, bytes] : members) {
        const std::unique_ptr<archive_entry, EntryFree> entry(archive_entry_new());
        archive_entry_set_pathname(entry.get(), path.c_str());
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes.size()));
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        archive_entry_set_perm(entry.get(), 0644);
        archive_entry_set_mtime(entry.get(), 0, 0);
        archive_entry_set_uid(entry.get(), 0);
        archive_entry_set_gid(entry.get(), 0);
        expect_ok(a, archive_write_header(a, entry.get()));
        if (archive_write_data(a, bytes.data(), bytes.size()) != static_cast<la_ssize_t>(bytes.size())) {
            throw Error(fmt::format("tar: cannot hold {} of {} bytes", path, bytes.size()));
        }
    }
    expect_ok(a, archive_write_close(a));
    return tar;
}

Members read_tar(std::span<const std::uint8_t> tar) {
    Members members;
    const std::unique_ptr<archive, ReaderFree> reader(archive_read_new());
    archive* a = reader.get();
    expect_ok(a, archive_read_support_format_tar(a));
    if (archive_read_open_memory(a, tar.data(), tar.size()) != ARCHIVE_OK)
        throw Error("tar: not a tar archive");
    archive_entry* entry = nullptr;
    for (;;) {
        const int status = archive_read_next_header(a, &entry);
        if (status == ARCHIVE_EOF) break;
        expect_ok(a, status);
        const std::string path = archive_entry_pathname(entry) ? archive_entry_pathname(entry) : "";
        if (archive_entry_filetype(entry) != AE_IFREG)
            throw Error(fmt::format("tar member '{}': not a regular file", path));
        const std::int64_t size = archive_entry_size(entry);
        if (size < 0 || size > MaxMemberBytes)
            throw Error(fmt::format("tar member '{}': size {}", path, size));
        if (static_cast<std::uint64_t>(size) > tar.size())
            throw Error(fmt::format("tar member '{}': truncated", path));
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
        const la_ssize_t got = archive_read_data(a, bytes.data(), bytes.size());
        if (got != static_cast<la_ssize_t>(bytes.size()))
            throw Error(fmt::format("tar member '{}': truncated", path));
        if (!members.emplace(path, std::move(bytes)).second)
            throw Error(fmt::format("tar member '{}': appears twice", path));
    }
    return members;
}

}  // namespace trnsim::neff
