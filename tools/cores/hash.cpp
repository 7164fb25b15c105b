#include "tools/cores/hash.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include "base/files/files.hpp"

namespace trnsim::cores {
namespace {

namespace fs = std::filesystem;

class Sha256 {
  public:
    Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
        check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
    }
    void add(const void* data, std::size_t size) { check(EVP_DigestUpdate(context_.get(), data, size)); }
    // Adds a text and its length, so that different sequences of texts have different hashes.
    void add(const std::string& text) {
        const std::uint64_t size = text.size();
        add(&size, sizeof size);
        add(text.data(), text.size());
    }
    std::string hex() {
        std::array<unsigned char, 32> bytes{};
        check(EVP_DigestFinal_ex(context_.get(), bytes.data(), nullptr));
        std::string text;
        for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
        return text;
    }

  private:
    static void check(int result) {
        if (result != 1) throw std::runtime_error("the cryptographic library cannot compute SHA-256");
    }
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

bool wanted(const fs::path& file, const std::string& endings) {
    const std::string ending = file.extension().string();
    return !ending.empty() && (" " + endings + " ").find(" " + ending + " ") != std::string::npos;
}

std::vector<fs::path> files_of(const fs::path& source, const Part& part) {
    const fs::path path = source / part.path;
    if (!fs::exists(path)) {
        throw std::runtime_error(
            fmt::format("{}: no such file or folder, expected the sources of the project", path.string()));
    }
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
        if (entry.is_regular_file() && wanted(entry.path(), part.endings)) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

std::string hash_of(const std::string& text) {
    Sha256 hash;
    hash.add(text.data(), text.size());
    return hash.hex();
}

std::string hash_of(const fs::path& source, std::initializer_list<Part> parts) {
    Sha256 hash;
    for (const Part& part : parts) {
        for (const fs::path& file : files_of(source, part)) {
            const std::vector<std::uint8_t> bytes = files::read(file);
            hash.add(file.lexically_relative(source).string());
            hash.add(std::string(bytes.begin(), bytes.end()));
        }
    }
    return hash.hex();
}

std::string rtl_hash(const fs::path& source, const config::Config& config) {
    const std::string sources = hash_of(source, {{"rtl", ".sv .svh"},
                                                 {"isa/isa.yaml", ""},
                                                 {"isa/generate.py", ""},
                                                 {"arch/activation/tables.txt", ""},
                                                 {"arch/activation/embed.py", ""}});
    return hash_of(sources + config::rtl_parameters(config));
}

}  // namespace trnsim::cores
