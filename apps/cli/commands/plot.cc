#include "apps/cli/commands/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "apps/cli/shell/numbers.h"
#include "bloomery/base/message.h"

namespace bloomery::cli {
namespace {

// The drawing, in SVG units.
constexpr double kWidth = 960;
constexpr double kHeight = 600;
constexpr double kLeft = 92;
constexpr double kRight = kWidth - 84;
constexpr double kTop = 108;
constexpr double kBottom = kHeight - 78;

constexpr double kBeyondGoal = 4;  // the keys axis ends at this many times the goal
constexpr int kCurvePoints = 320;

// Okabe and Ito's colours, which the colour-blind tell apart; dashes repeat what colours say.
struct Stroke {
  std::string_view colour;
  std::string_view dashes;
  double width;
};
constexpr std::array<Stroke, 4> kStrokes{{
    {"#0072b2", "none", 3},
    {"#d55e00", "8 5", 2},
    {"#009e73", "2 5", 2.4},
    {"#8a4f7d", "12 4 2 4", 2},
}};

constexpr std::string_view kStyle =
    "text{font-family:Inter,'Segoe UI',Roboto,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;"
    "fill:#24292f;font-size:14px}"
    ".title{font-size:21px;font-weight:600}.subtitle{font-size:15px;fill:#57606a}"
    ".tick{font-size:13px;fill:#57606a}.axis{font-size:14px;fill:#24292f}"
    ".zone{font-size:12.5px;fill:#57606a}"
    ".goal{font-weight:600}.beyond{fill:#0072b2}.halo{paint-order:stroke;stroke:#fff;stroke-width:"
    "5px;"
    "stroke-linejoin:round}"
    ".grid{stroke:#e4e7eb;stroke-width:1}.frame{stroke:#8c959f;stroke-width:1.2;fill:none}"
    ".guide{stroke:#24292f;stroke-width:1;stroke-dasharray:3 4;opacity:.6}"
    ".curve{fill:none;stroke-linecap:round;stroke-linejoin:round}";

std::string at(double coordinate) {
  std::ostringstream out;
  throw_on_failure(out);
  out << std::fixed << std::setprecision(1) << coordinate;
  return std::move(out).str();
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

// Steps of 1, 2 or 5 times a power of ten: five to ten of them on the axis.
double round_step(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / 5)));
  const double lead = span / 5 / power;
  if (lead >= 5) return 5 * power;
  if (lead >= 2) return 2 * power;
  return power;
}

// Keys on a linear axis from 0, rates on a logarithmic one down to two decades below the goal.
class Drawing {
 public:
  explicit Drawing(const RatePlot& plot)
      : plot_{plot},
        keys_end_{static_cast<double>(plot.goal.keys) * kBeyondGoal},
        lowest_decade_{static_cast<int>(
            std::floor(std::log10(std::max(plot.goal.false_positive_rate, 1e-30)) - 1.5))} {
    throw_on_failure(out_);
  }

  std::string svg() {
    head();
    zones();
    rate_axis();
    keys_axis();
    for (std::size_t i = plot_.curves.size(); i-- > 0;) curve(i);
    legend();
    beyond(2);
    beyond(kBeyondGoal);
    goal();
    out_ << "</svg>\n";
    return std::move(out_).str();
  }

 private:
  double x(double keys) const { return kLeft + keys / keys_end_ * (kRight - kLeft); }
  double y(double rate) const {
    const double decades = std::max(std::log10(std::max(rate, 1e-300)), lowest_decade_ - 40.0);
    return kTop + decades / lowest_decade_ * (kBottom - kTop);
  }

  void text(double left, double top, std::string_view style, std::string_view anchor,
            std::string_view words) {
    out_ << "<text x=\"" << at(left) << "\" y=\"" << at(top) << "\" class=\"" << style
         << "\" text-anchor=\"" << anchor << "\">" << xml_escaped(words) << "</text>\n";
  }
  void line(std::string_view style, double x1, double y1, double x2, double y2) {
    out_ << "<line class=\"" << style << "\" x1=\"" << at(x1) << "\" y1=\"" << at(y1) << "\" x2=\""
         << at(x2) << "\" y2=\"" << at(y2) << "\"/>\n";
  }
  void rectangle(double left, double top, double right, double bottom, std::string_view rest) {
    out_ << "<rect x=\"" << at(left) << "\" y=\"" << at(top) << "\" width=\"" << at(right - left)
         << "\" height=\"" << at(bottom - top) << "\" " << rest << "/>\n";
  }

  void head() {
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << " " << kHeight
         << "\" width=\"" << kWidth << "\" height=\"" << kHeight
         << "\" role=\"img\" aria-labelledby=\"title description\">\n"
         << "<title id=\"title\">" << xml_escaped(plot_.title) << "</title>\n"
         << "<desc id=\"description\">False-positive rate against keys inserted: "
         << xml_escaped(plot_.subtitle) << "; at "
         << axis_count(static_cast<double>(plot_.goal.keys)) << " keys the rate is "
         << axis_percent(main_rate(1)) << "</desc>\n"
         << "<style>" << kStyle << "</style>\n"
         << "<clipPath id=\"frame\"><rect x=\"" << kLeft << "\" y=\"" << kTop << "\" width=\""
         << kRight - kLeft << "\" height=\"" << kBottom - kTop << "\"/></clipPath>\n";
    rectangle(0, 0, kWidth, kHeight, "fill=\"#ffffff\"");
    text(kLeft, 42, "title", "start", plot_.title);
    text(kLeft, 67, "subtitle", "start", plot_.subtitle);
  }

  void zones() {
    const double middle = x(static_cast<double>(plot_.goal.keys));
    rectangle(kLeft, kTop, middle, kBottom, "fill=\"#f1f8f4\"");
    rectangle(middle, kTop, kRight, kBottom, "fill=\"#fdf8f0\"");
    text(kLeft + 10, kTop - 8, "zone", "start", "as planned");
    text(kRight - 10, kTop - 8, "zone", "end", "more keys than planned");
  }

  void rate_axis() {
    const int step = lowest_decade_ < -9 ? 2 : 1;
    for (int decade = 0; decade >= lowest_decade_; decade -= step) {
      const double rate = std::pow(10, decade);
      line("grid", kLeft, y(rate), kRight, y(rate));
      text(kLeft - 10, y(rate) + 4.5, "tick", "end",
           lowest_decade_ < -6 && decade < 0 ? power_of_ten(decade) : axis_percent(rate));
    }
    out_ << "<text transform=\"translate(24 " << at((kTop + kBottom) / 2)
         << ") rotate(-90)\" class=\"axis\" text-anchor=\"middle\">false-positive rate (log scale)"
         << "</text>\n";
  }

  void keys_axis() {
    const double step = round_step(keys_end_);
    for (double keys = 0; keys <= keys_end_ * 1.0001; keys += step) {
      line("grid", x(keys), kTop, x(keys), kBottom);
      text(x(keys), kBottom + 22, "tick", "middle", axis_count(keys));
    }
    text((kLeft + kRight) / 2, kBottom + 52, "axis", "middle", "distinct keys inserted");
    rectangle(kLeft, kTop, kRight, kBottom, "class=\"frame\"");
  }

  void curve(std::size_t index) {
    const Stroke& stroke = kStrokes[index % kStrokes.size()];
    out_ << "<polyline class=\"curve\" clip-path=\"url(#frame)\" stroke=\"" << stroke.colour
         << "\" stroke-width=\"" << stroke.width << "\" stroke-dasharray=\"" << stroke.dashes
         << "\" points=\"";
    for (int i = 1; i <= kCurvePoints; ++i) {
      // Denser on the left, where the curve is steepest.
      const double keys = keys_end_ * std::pow(static_cast<double>(i) / kCurvePoints, 2);
      const double height = y(plot_.curves[index].rate(keys));
      if (height < kBottom + 400) out_ << at(x(keys)) << ',' << at(height) << ' ';
    }
    out_ << "\"/>\n";
  }

  void legend() {
    const auto longest = std::ranges::max_element(
        plot_.curves, {}, [](const RateCurve& curve) { return curve.label.size(); });
    const double left = kRight - 16 - 84 - 6.9 * static_cast<double>(longest->label.size());
    const double height = 22 * static_cast<double>(plot_.curves.size()) + 16;
    double top = kBottom - 16 - height;
    rectangle(left, top, kRight - 16, top + height,
              "rx=\"6\" fill=\"#ffffff\" stroke=\"#d0d7de\" fill-opacity=\"0.94\"");
    top += 24;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i, top += 22) {
      const Stroke& stroke = kStrokes[i % kStrokes.size()];
      out_ << "<line class=\"curve\" x1=\"" << at(left + 14) << "\" y1=\"" << at(top - 4.5)
           << "\" x2=\"" << at(left + 54) << "\" y2=\"" << at(top - 4.5) << "\" stroke=\""
           << stroke.colour << "\" stroke-width=\"" << stroke.width << "\" stroke-dasharray=\""
           << stroke.dashes << "\"/>\n";
      text(left + 66, top, "tick", "start", plot_.curves[i].label);
    }
  }

  double main_rate(double times) const {
    return plot_.curves.front().rate(static_cast<double>(plot_.goal.keys) * times);
  }
  void dot(double left, double top, double radius, std::string_view rest) {
    out_ << "<circle cx=\"" << at(left) << "\" cy=\"" << at(top) << "\" r=\"" << radius << "\" "
         << rest << "/>\n";
  }

  // What becomes of the rate when the filter is overfilled.
  void beyond(double times) {
    const double keys = static_cast<double>(plot_.goal.keys) * times;
    const double left = x(keys);
    const double top = y(main_rate(times));
    dot(left, top, 4.5, "fill=\"#ffffff\" stroke=\"#0072b2\" stroke-width=\"2\"");
    // At the end of the axis the margin is free, elsewhere the space below the curve.
    const double down = times >= kBeyondGoal ? 5 : 21;
    text(left + 11, top + down, "halo beyond", "start", axis_percent(main_rate(times)));
  }

  void goal() {
    const double left = x(static_cast<double>(plot_.goal.keys));
    const double top = y(main_rate(1));
    line("guide", left, top, left, kBottom);
    line("guide", kLeft, top, left, top);
    dot(left, top, 7, "id=\"goal\" fill=\"#0072b2\" stroke=\"#ffffff\" stroke-width=\"2\"");
    text(left + 13, top + 22, "goal halo", "start",
         message(axis_count(static_cast<double>(plot_.goal.keys)),
                 " keys: ", axis_percent(main_rate(1))));
  }

  const RatePlot& plot_;
  double keys_end_;
  int lowest_decade_;
  std::ostringstream out_;
};

}  // namespace

std::string rate_plot_svg(const RatePlot& plot) { return Drawing{plot}.svg(); }

}  // namespace bloomery::cli
