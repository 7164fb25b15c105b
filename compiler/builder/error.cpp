#include "compiler/builder/error.hpp"

#include <fmt/format.h>

namespace trnsim::builder {

CallError::CallError(const std::string& why, const Where& where)
    : Error(fmt::format("{}: {}", place_name(where), why)), reason(why) {}

void throw_at(const Where& where) {
    if (where.file.empty()) throw;
    try {
        throw;
    } catch (const CallError& error) {
        throw CallError(error.reason, where);
    } catch (const Error& error) {
        throw CallError(error.what(), where);
    }
}

}  // namespace trnsim::builder
