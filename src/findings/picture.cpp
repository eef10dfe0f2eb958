#include "findings/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "findings/padding.h"
#include "findings/words.h"
#include "report/text.h"

namespace warplens::findings {
namespace {

constexpr int64_t kSector = 32, kBank = 4, kBanks = 32;
constexpr size_t kRows = 12;  // of sectors that are drawn

// "0-7, 16, 24-31"
std::string ranges(const std::vector<int>& lanes) {
  std::string text;
  for (size_t i = 0; i < lanes.size();) {
    size_t k = i;
    while (k + 1 < lanes.size() && lanes[k + 1] == lanes[k] + 1) ++k;
    text +=
        (text.empty() ? "" : ", ") + (k == i ? fmt::format("{}", lanes[i]) : fmt::format("{}-{}", lanes[i], lanes[k]));
    i = k + 1;
  }
  return text;
}

// Where thread 0 of block 0 begins, in a sector: pointers are known modulo 256.
int64_t start_of(const Access& a) {
  const report::LawValues values{a.launch->grid, a.launch->block, a.launch->parameters};
  int64_t start = 0;
  for (const report::LawTerm& t : a.site->law) {
    std::vector<std::string> unknown;
    const int64_t bytes = report::coefficient_of(t, values, &unknown);
    if (unknown.empty()) start = (start + bytes) % kSector;
  }
  return (start + kSector) % kSector;
}

// Names of parameters that move lanes apart and whose values are not known.
std::string missing_values(const Access& a) {
  const report::LawValues values{a.launch->grid, a.launch->block, a.launch->parameters};
  std::vector<std::string> names;
  for (const report::LawTerm& t : a.site->law) {
    std::vector<std::string> unknown;
    if (t.depends.thread) report::coefficient_of(t, values, &unknown);
    for (const std::string& factor : unknown) {
      const std::string name = report::factor_text(factor, a.kernel->parameters);
      if (factor[0] == '$' && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string sectors_picture(const Access& a, const std::vector<int64_t>& offsets, int width) {
  const int64_t start = start_of(a), size = a.site->bytes_per_lane,
                least = *std::min_element(offsets.begin(), offsets.end());
  const int64_t origin = least - (((least + start) % kSector) + kSector) % kSector;
  std::map<int64_t, std::pair<std::string, std::vector<int>>> sectors;  // by number, from the first one on
  for (size_t lane = 0; lane < offsets.size(); ++lane)
    for (int64_t b = 0; b < size; ++b) {
      const int64_t at = offsets[lane] + b - origin;
      auto& [bytes, lanes] = sectors[at / kSector];
      if (bytes.empty()) bytes.assign(kSector, '.');
      bytes[static_cast<size_t>(at % kSector)] = '#';
      if (lanes.empty() || lanes.back() != static_cast<int>(lane)) lanes.push_back(static_cast<int>(lane));
    }
  std::string text = fmt::format("  {:>10}  {:<32}  {}\n", "from byte", "a sector of 32 bytes (# taken)", "lanes");
  size_t row = 0;
  for (const auto& [number, sector] : sectors) {
    if (row++ == kRows && sectors.size() > kRows + 1) {
      text += fmt::format("  {:>10}  and {} more sectors\n", "...", sectors.size() - kRows);
      break;
    }
    text += "  " +
            report::fit(fmt::format("{:>10}  {}  {}", number * kSector, sector.first, ranges(sector.second)),
                        static_cast<size_t>(std::max(width - 2, 50))) +
            "\n";
  }
  const uint64_t ideal = std::min<uint64_t>(
      sectors.size(), (static_cast<uint64_t>(offsets.size()) * static_cast<uint64_t>(size) + 31) / 32);
  return text + fmt::format("  {} sector{} [modelled]; the lanes' data would fit in {}\n", sectors.size(),
                            sectors.size() == 1 ? "" : "s", ideal);
}

std::string banks_picture(const Access& a, const std::vector<int64_t>& offsets) {
  std::vector<std::set<int64_t>> words(kBanks);
  std::vector<std::vector<int>> lanes(kBanks);
  const int64_t least = *std::min_element(offsets.begin(), offsets.end());
  for (size_t lane = 0; lane < offsets.size(); ++lane)
    for (int64_t b = 0; b < a.site->bytes_per_lane; b += kBank) {
      const int64_t word = (offsets[lane] - least + b) / kBank;
      const auto bank = static_cast<size_t>(word % kBanks);
      words[bank].insert(word);
      if (lanes[bank].empty() || lanes[bank].back() != static_cast<int>(lane))
        lanes[bank].push_back(static_cast<int>(lane));
    }
  std::string text = "  bank  different words\n";
  for (size_t bank = 0; bank < kBanks;) {
    size_t last = bank;  // banks alike in a row are one line
    while (last + 1 < kBanks && words[last + 1].size() == words[bank].size() && words[bank].size() <= 1) ++last;
    const std::string name = bank == last ? fmt::format("{}", bank) : fmt::format("{}-{}", bank, last);
    text += fmt::format("  {:>5} {:>4}  {:<32}", name, words[bank].size(),
                        std::string(std::min<size_t>(words[bank].size(), 32), '#'));
    if (bank == last && !lanes[bank].empty()) text += "  lanes " + ranges(lanes[bank]);
    while (text.ends_with(' ')) text.pop_back();
    text += "\n";
    bank = last + 1;
  }
  return text;
}

}  // namespace

std::string picture(const Access& a, int width) {
  const auto offsets = lane_offsets(a.law, a.launch->block);
  const std::string law = report::law_text(a.site->law, a.kernel->parameters);
  const std::string missing = missing_values(a);
  if (!missing.empty()) return "  address = " + law + "\n  How far apart lanes are depends on " + missing + ".\n";
  if (!offsets || offsets->empty() || a.site->bytes_per_lane == 0)
    return "  Where lanes go depends on data or on what is no sum of products: " + law + "\n";
  std::string text = "  address = " + law + "\n";
  if (a.site->space != report::Space::Shared) return text + sectors_picture(a, *offsets, width);
  text += banks_picture(a, *offsets);
  const uint32_t now = passes(a.law, a), then = passes(padded(a.law, a.site->bytes_per_lane), a);
  text += fmt::format("  {} pass{} [modelled]\n", now, now == 1 ? "" : "es");
  if (then >= now) return text;
  text += "  with rows of one element more:\n" +
          banks_picture(a, *lane_offsets(padded(a.law, a.site->bytes_per_lane), a.launch->block));
  return text + fmt::format("  {} pass{} [modelled]\n", then, then == 1 ? "" : "es");
}

}  // namespace warplens::findings
