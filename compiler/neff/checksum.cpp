#include "compiler/neff/checksum.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include "compiler/neff/error.hpp"

namespace trnsim::neff {

Sha256 sha256(std::span<const std::uint8_t> bytes) {
    Sha256 hash{};
    unsigned length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), hash.data(), &length, EVP_sha256(), nullptr) != 1 ||
        length != hash.size()) {
        throw Error("the cryptographic library cannot compute SHA-256");
    }
    return hash;
}

std::string hex(const Sha256& sum) {
    return fmt::format("{:02x}", fmt::join(sum, ""));
}

}  // namespace trnsim::neff
