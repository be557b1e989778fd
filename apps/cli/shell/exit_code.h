// The exit codes that scripts rely on, and the one place that prints errors and warnings.
#pragma once
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::cli {

inline constexpr int kExitSuccess = 0;  // for a query: at least one record selected
inline constexpr int kExitNothingSelected = 1;
inline constexpr int kExitUsage = 2;      // usage or I/O trouble
inline constexpr int kExitBadFilter = 3;  // corrupt, wrong version, incompatible, wrong secret
inline constexpr int kExitRefused = 4;    // over the design or over the memory limit

// The same error means another exit code where the arguments asked for something impossible than
// where a filter file is not what it should be.
enum class Blame : std::uint8_t { kArguments, kFilterFile };
int exit_code_of(ErrorCode code, Blame blame);

Error usage_error(std::string sentence);  // kInvalidArgument

// Print `bloomery: sentence` or `bloomery: FILE: sentence` to stderr and return the exit code, so
// that a command ends with `return complain(...)`. A sentence that already names its file, or a
// file in the folder that it is about, names it once, and an address loses its password.
int complain(std::string_view sentence, int exit_code);
int complain(std::string_view file, std::string_view sentence, int exit_code);
int complain(std::string_view file, const Error& error, Blame blame);
// On stderr, unless silenced.
void warn(std::string_view file, std::string_view sentence);
void silence_warnings();  // --quiet: from now on only errors are printed

}  // namespace bloomery::cli
