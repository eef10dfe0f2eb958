#include "compare/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/metrics.h"
#include "report/text.h"

namespace warplens::compare {
namespace {

using report::printable;

std::string number(double value, bool whole) {
  if (whole && value < 1e15) return report::grouped(uint64_t(value));
  return fmt::format("{:.6g}", value);
}
std::string ours_text(const Figure& figure) {
  return figure.ours.per == 0 ? report::grouped(figure.ours.value) : number(report::value_of(figure.ours), false);
}
std::string theirs_text(const Figure& figure) {
  return figure.theirs.exact ? report::grouped(*figure.theirs.exact) : number(figure.theirs.value, false);
}

std::string shape(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

std::string launch_words(const Pair& pair) {
  std::string text = printable(pair.kernel->demangled);
  if (!pair.name.empty()) text += " [" + printable(pair.name) + "]";
  text += fmt::format(", grid {}, block {}", shape(pair.launch->grid), shape(pair.launch->block));
  text += pair.kernel->code == report::Code::Sass ? fmt::format(", machine code ({})", printable(pair.kernel->target))
                                                  : ", as PTX";
  return text + (pair.other_code ? "; the GPU ran other machine code" : "");
}

class Text {
 public:
  explicit Text(const RenderOptions& options) : options_(options) {}

  std::string render(const Comparison& comparison) {
    for (const std::string& warning : comparison.warnings) out_ += "note: " + printable(warning) + "\n";
    pairs(comparison.pairs);
    unpaired("Only in the profile", comparison.only_in_profile);
    unpaired("Only in the run (a profile may leave launches out)", comparison.only_in_run);
    summary(comparison);
    return std::move(out_);
  }

 private:
  std::string paint(const std::string& text, const char* code) const {
    return options_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }

  // Launches that follow one another and say the same are shown once.
  void pairs(const std::vector<Pair>& pairs) {
    for (size_t i = 0; i < pairs.size();) {
      const std::string text = pair(pairs[i]);
      size_t end = i + 1;
      while (end < pairs.size() && pair(pairs[end]) == text) ++end;
      const uint64_t first = pairs[i].launch->index, last = pairs[end - 1].launch->index;
      out_ += first == last ? fmt::format("launch {}: ", first)
                            : fmt::format("launches {} to {}, {} of them: ", first, last, end - i);
      out_ += text;
      i = end;
    }
  }

  std::string pair(const Pair& pair) const {
    std::string text = paint(launch_words(pair), "1") + "\n" + figures(pair.figures, 2);
    size_t equal_places = 0;
    for (const Place& place : pair.places) {
      const bool differs =
          std::any_of(place.figures.begin(), place.figures.end(), [](const Figure& f) { return !f.equal; });
      equal_places += !differs;
      if (differs || options_.all) text += "  " + printable(place.where) + "\n" + figures(place.figures, 4);
    }
    if (!pair.places.empty())
      text += fmt::format("  {} of {} lines or instructions are equal\n", equal_places, pair.places.size());
    return text;
  }

  std::string figures(const std::vector<Figure>& figures, size_t indent) const {
    std::string text;
    size_t equal = 0;
    for (const Figure& figure : figures) {
      equal += figure.equal;
      if (!figure.equal || options_.all) text += line(figure, indent);
    }
    if (equal != 0 && indent == 2 && !options_.all)
      text += fmt::format("  {} figure{} equal\n", equal, equal == 1 ? " is" : "s are");
    return text;
  }

  std::string line(const Figure& figure, size_t indent) const {
    const std::string mark =
        fmt::format("[{}{}]", to_string(figure.ours.fidelity), figure.ours.as_ptx ? ", as PTX" : "");
    std::string text = std::string(indent, ' ') + report::pad_right(figure.name, 56 - indent) +
                       report::pad_left(ours_text(figure), 16);
    text += figure.equal ? "  equal  " : "  profile " + theirs_text(figure) + "  ";
    text += mark;
    const bool bad = !figure.equal && figure.ours.fidelity == report::Fidelity::Counted;
    text = paint(text, figure.equal ? "2" : bad ? "31" : "33") + "\n";
    if (!figure.equal)
      text += std::string(indent + 2, ' ') + (figure.cause.empty() ? "the cause is not known" : figure.cause) + "\n";
    return text;
  }

  void unpaired(const char* title, const std::vector<Unpaired>& list) {
    if (list.empty()) return;
    out_ += paint(std::string(title) + ":", "1") + "\n";
    for (const Unpaired& u : list)
      out_ += fmt::format("  {} launch{} of {}{}\n", u.launches, u.launches == 1 ? "" : "es", u.kernel,
                          u.why.empty() ? "" : ": " + u.why);
  }

  void summary(const Comparison& comparison) {
    const Tally tally = comparison.tally();
    out_ += fmt::format("{} launch{} compared: {} figure{} equal, {} different", comparison.pairs.size(),
                        comparison.pairs.size() == 1 ? "" : "es", tally.equal, tally.equal == 1 ? "" : "s",
                        tally.different);
    if (tally.different != 0) out_ += fmt::format(" ({} of them counted)", tally.counted_different);
    out_ += "\n";
  }

  RenderOptions options_;
  std::string out_;
};

using Json = nlohmann::ordered_json;

Json to_json(const Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Json to_json(const Figure& figure) {
  Json json = {{"name", figure.name}};
  json["run"] = figure.ours.per == 0 ? Json(figure.ours.value) : Json(report::value_of(figure.ours));
  json["profile"] = figure.theirs.exact ? Json(*figure.theirs.exact) : Json(figure.theirs.value);
  json["equal"] = figure.equal;
  json["fidelity"] = to_string(figure.ours.fidelity);
  json["as_ptx"] = figure.ours.as_ptx;
  json["cause"] = figure.cause;
  return json;
}

Json figures_json(const std::vector<Figure>& figures) {
  Json json = Json::array();
  for (const Figure& figure : figures) json.push_back(to_json(figure));
  return json;
}

Json to_json(const Pair& pair) {
  Json places = Json::array();
  for (const Place& place : pair.places)
    places.push_back({{"where", place.where}, {"figures", figures_json(place.figures)}});
  return {{"index", pair.launch->index},
          {"kernel", pair.kernel->demangled},
          {"name", pair.name},
          {"grid", to_json(pair.launch->grid)},
          {"block", to_json(pair.launch->block)},
          {"code", to_string(pair.kernel->code)},
          {"other_machine_code", pair.other_code},
          {"figures", figures_json(pair.figures)},
          {"places", places}};
}

Json to_json(const std::vector<Unpaired>& list) {
  Json json = Json::array();
  for (const Unpaired& u : list) json.push_back({{"kernel", u.kernel}, {"launches", u.launches}, {"why", u.why}});
  return json;
}

}  // namespace

std::string render_text(const Comparison& comparison, const RenderOptions& options) {
  return Text(options).render(comparison);
}

std::string render_json(const Comparison& comparison) {
  const Tally tally = comparison.tally();
  Json json = {{"schema", kSchema},
               {"agrees", comparison.agrees()},
               {"equal", tally.equal},
               {"different", tally.different},
               {"counted_different", tally.counted_different}};
  json["launches"] = Json::array();
  for (const Pair& pair : comparison.pairs) json["launches"].push_back(to_json(pair));
  json["only_in_run"] = to_json(comparison.only_in_run);
  json["only_in_profile"] = to_json(comparison.only_in_profile);
  json["warnings"] = comparison.warnings;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warplens::compare
