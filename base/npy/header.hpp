// The header of a .npy file: a Python dictionary literal with the keys descr, fortran_order and shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trnsim::npy {

struct Header {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
};

// The message of the Error has no file name: it has what was expected and at which byte of the text.
Header parse_header(std::string_view text);

std::string format_header(const Header& header);

}  // namespace trnsim::npy
