#include "apps/cli/commands/plot.h"

#include <gmock/gmock.h>

#include <regex>
#include <sstream>

namespace bloomery::cli {
namespace {

using ::testing::HasSubstr;

constexpr Shape kShape{95850584, 7};
constexpr Goal kGoal{10'000'000, 0.01};

std::string plot() { return rate_plot_svg(classic_rate_plot(kShape, kGoal)); }

// Every start tag has its end, in order; attributes are quoted; no stray & or <.
bool is_well_formed(const std::string& xml) {
  static const std::regex kTag{
      R"(<(\?[^>]*\?|(/?)([a-zA-Z]+)((?:\s+[a-zA-Z0-9:-]+="[^"<]*")*)\s*(/?))>)"};
  std::vector<std::string> open;
  std::size_t at = 0;
  for (std::sregex_iterator tag{xml.begin(), xml.end(), kTag}, end; tag != end; ++tag) {
    const auto start = static_cast<std::size_t>(tag->position());
    if (xml.substr(at, start - at).find('<') != std::string::npos) return false;
    at = start + static_cast<std::size_t>(tag->length());
    if ((*tag)[3].str().empty() || (*tag)[5].length() > 0) continue;
    if ((*tag)[2].length() == 0) {
      open.push_back((*tag)[3]);
    } else {
      if (open.empty() || open.back() != (*tag)[3].str()) return false;
      open.pop_back();
    }
  }
  return open.empty() && xml.find('<', at) == std::string::npos;
}

double attribute(const std::string& element, const std::string& name) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(element, found, std::regex{" " + name + "=\"([-0-9.]+)\""}));
  return std::stod(found[1]);
}

std::string element_with(const std::string& xml, const std::string& part) {
  const std::size_t at = xml.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  const std::size_t start = xml.rfind('<', at);
  return xml.substr(start, xml.find('>', start) - start + 1);
}

TEST(Plot, IsWellFormedXml) {
  EXPECT_TRUE(is_well_formed(plot()));
  EXPECT_TRUE(is_well_formed(rate_plot_svg(classic_rate_plot({120, 6}, {12, 0.01}))));
  EXPECT_FALSE(is_well_formed("<svg><text>a</svg>"));
}

TEST(Plot, SaysBitsProbesAndBitsPerKey) {
  EXPECT_THAT(plot(), HasSubstr("A Bloom filter for 10M keys at 1 %"));
  EXPECT_THAT(plot(), HasSubstr("95,850,584 bits (11.4 MiB), 7 probes, 9.585 bits per key"));
}

TEST(Plot, MarksTheGoalWhereItsKeysAndItsRateMeet) {
  const std::string xml = plot();
  const std::string dot = element_with(xml, "id=\"goal\"");
  EXPECT_THAT(xml, HasSubstr(">10M keys: 1 %<"));
  // The frame runs from 0 to four times the keys, and from 100 % down to 0.01 %.
  const std::string frame = element_with(xml, "class=\"frame\"");
  const double left = attribute(frame, "x");
  const double top = attribute(frame, "y");
  EXPECT_NEAR(attribute(dot, "cx"), left + attribute(frame, "width") / 4, 0.2);
  EXPECT_NEAR(attribute(dot, "cy"), top + attribute(frame, "height") / 2, 2);
}

TEST(Plot, TellsTheRateOfAnOverfilledFilter) {
  // (1 - e^(-7 * 2 / 9.585))^7 and (1 - e^(-7 * 4 / 9.585))^7
  EXPECT_THAT(plot(), HasSubstr(">15.7 %<"));
  EXPECT_THAT(plot(), HasSubstr(">67.9 %<"));
}

TEST(Plot, TicksAreReadable) {
  for (const char* tick : {">5M<", ">10M<", ">40M<", ">100 %<", ">1 %<", ">0.01 %<"})
    EXPECT_THAT(plot(), HasSubstr(tick));
  const std::string rare =
      rate_plot_svg(classic_rate_plot({43132762900, 30}, {1'000'000'000, 1e-9}));
  EXPECT_THAT(rare, HasSubstr(">10⁻¹⁰<"));
}

TEST(Plot, CurvesRiseFromLeftToRight) {
  const std::string xml = plot();
  const std::regex polyline{"<polyline[^>]*points=\"([^\"]*)\""};
  int curves = 0;
  for (std::sregex_iterator curve{xml.begin(), xml.end(), polyline}, end; curve != end; ++curve) {
    ++curves;
    std::istringstream points{(*curve)[1]};
    double x = 0;
    double y = 0;
    double last_x = -1;
    double last_y = 1e9;
    char comma = 0;
    std::size_t count = 0;
    for (; points >> x >> comma >> y; ++count) {
      EXPECT_GE(x, last_x);
      EXPECT_LE(y, last_y);
      last_x = x;
      last_y = y;
    }
    EXPECT_GT(count, 100U);
  }
  EXPECT_EQ(curves, 3);
}

TEST(Plot, EscapesWhatXmlReserves) {
  RatePlot odd = classic_rate_plot(kShape, kGoal);
  odd.title = "a < b & \"c\"";
  const std::string xml = rate_plot_svg(odd);
  EXPECT_TRUE(is_well_formed(xml));
  EXPECT_THAT(xml, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
}

}  // namespace
}  // namespace bloomery::cli
