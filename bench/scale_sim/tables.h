// The tables of docs/scale.md, in Markdown, each after a line that names it.
#pragma once
#include <ostream>

#include "bench/scale_sim/plan.h"

namespace bloomery::bench {

void print_tables(std::ostream& out, const Assumptions& assumed);

}  // namespace bloomery::bench
