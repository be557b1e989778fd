// The names of CLI11 that headers mention. Its own header is half of the compile time of a small
// file, so only those that use it include it.
#pragma once

namespace CLI {
class App;
class Formatter;
class Option;
}  // namespace CLI
