// A failed assertion in the RTL is an error of the run, not the end of the process.
#include <verilated.h>

#include <stdexcept>
#include <string>

void vl_fatal(const char* filename, int linenum, const char* hier, const char* msg) {
    Verilated::threadContextp()->gotError(true);
    std::string text = std::string(filename) + ":" + std::to_string(linenum) + ": RTL stopped";
    if (hier != nullptr && *hier != '\0') text += std::string(" in ") + hier;
    throw std::runtime_error(text + ": " + msg);
}
