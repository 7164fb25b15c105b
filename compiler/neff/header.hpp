// The 1024-byte header before the tar, little-endian.
//
// Offsets: pkg_version 0, header_size 8, data_size 16, ver_major 24, ver_minor 32, build 40 (128 bytes of
// text), num_tpb 168, hash 172 (32), uuid 204 (16), name 220 (256 bytes of text), requested_tpb 476,
// tpb_per_node 480 (64), feature_bits 544, lnc_size 552, padding 556. The hash is the SHA-256 of the tar, the
// uuid a version 8 one (RFC 9562) made of the hash's first bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace trnsim::neff {

constexpr std::size_t HeaderBytes = 1024;

// Returns the header of a file with this kernel name and tar.
std::array<std::uint8_t, HeaderBytes> make_header(const std::string& name, std::span<const std::uint8_t> tar);

// Checks every field of the header at the beginning of `file` against the format and against the tar after
// it. Returns the kernel name. Throws Error with the field and its offset.
std::string check_header(std::span<const std::uint8_t> file);

}  // namespace trnsim::neff
