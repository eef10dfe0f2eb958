#include "compare/ncu.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>

#include "compare/csv.h"

namespace warplens::compare {
namespace {

constexpr size_t kNone = ~size_t{0};

// Column titles: Nsight Compute's, and those of excerpts.
constexpr std::string_view kKernel[] = {"Kernel Name", "kernel"}, kGrid[] = {"Grid Size", "grid"},
                           kBlock[] = {"Block Size", "block"}, kAddress[] = {"Address", "offset"};

template <size_t N>
size_t column(const CsvRow& header, const std::string_view (&titles)[N]) {
  for (std::string_view title : titles)
    if (const auto it = std::find(header.begin(), header.end(), title); it != header.end())
      return size_t(it - header.begin());
  return kNone;
}

size_t column(const CsvRow& header, std::string_view title) {
  const std::string_view titles[] = {title};
  return column(header, titles);
}

const std::string& field(const CsvRow& row, size_t at) {
  static const std::string kEmpty;
  return at < row.size() ? row[at] : kEmpty;
}

enum class Table { None, Wide, Long, Source };

bool is_metric(std::string_view title) { return title.find("__") != title.npos || title.starts_with("memory_"); }

Table table_of(const CsvRow& header) {
  const bool kernel = column(header, kKernel) != kNone;
  const bool text = column(header, "Source") != kNone;
  const bool place = column(header, kAddress) != kNone || column(header, "Line No") != kNone;
  if (text && place && header.size() > 2) return Table::Source;  // of two columns there are no figures
  if (!kernel) return Table::None;
  if (column(header, "Metric Name") != kNone && column(header, "Metric Value") != kNone) return Table::Long;
  return std::any_of(header.begin(), header.end(), is_metric) ? Table::Wide : Table::None;
}

bool starts_launch(const CsvRow& row) {
  return row.size() >= 2 && (row[0] == "Kernel Name" || row[0] == "Function Name") && table_of(row) == Table::None;
}

// Where the first table begins: what stands before it is another program's, quotes and all.
size_t first_table(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find(',') != line.npos && !line.starts_with("==")) {
      const auto rows = parse_csv(line);
      if (rows && rows->size() == 1 && (table_of(rows->front()) != Table::None || starts_launch(rows->front())))
        return at;
    }
    at = end + 1;
  }
  return text.npos;
}

// "(16, 16, 1)"
std::optional<Dim3> shape(const std::string& text) {
  uint32_t sizes[3] = {1, 1, 1};
  size_t count = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at < end && count < 3;) {
    const auto [next, problem] = std::from_chars(at, end, sizes[count]);
    if (problem == std::errc()) ++count;
    at = problem == std::errc() ? next : at + 1;
  }
  return count == 3 ? std::optional<Dim3>({sizes[0], sizes[1], sizes[2]}) : std::nullopt;
}

std::optional<uint64_t> address(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What a number says of the file's decimal point: 1 that it is ',' ("12,5", "1.234,56"), -1 that it is '.', else 0.
int votes_for_comma(std::string_view text) {
  if (text.empty() ||
      !std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == ','; }))
    return 0;
  const size_t comma = text.rfind(','), point = text.rfind('.');
  if (comma == text.npos && point == text.npos) return 0;
  if (comma != text.npos && point != text.npos) return point < comma ? 1 : -1;
  const bool is_comma = comma != text.npos;
  const bool parts = std::count(text.begin(), text.end(), is_comma ? ',' : '.') > 1;  // thousands
  if (parts) return is_comma ? -1 : 1;
  const bool could_part = text.size() - (is_comma ? comma : point) - 1 == 3;
  if (could_part) return 0;
  return is_comma ? 1 : -1;
}

class Reader {
 public:
  explicit Reader(std::vector<CsvRow> rows) : rows_(std::move(rows)) {
    int votes = 0;
    for (const CsvRow& row : rows_)
      for (const std::string& text : row) votes += votes_for_comma(text);
    comma_ = votes > 0;
  }

  NcuExport read() {
    for (const CsvRow& row : rows_) {
      if (const Table table = table_of(row); table != Table::None) {
        start(table, row);
      } else if (starts_launch(row)) {
        start_launch(row);
      } else if (row.size() == 2 && (row[0] == "File Name" || row[0] == "File Path")) {
        file_ = row[1];
      } else if (table_ == Table::None || row.size() < least_ || row.size() > header_.size()) {
        ++(row[0].starts_with("==") ? progress_ : left_out_);
      } else {
        add(row);
      }
    }
    if (left_out_ != 0)
      out_.warnings.push_back(std::to_string(left_out_) + (left_out_ == 1 ? " line is" : " lines are") +
                              " no part of a table");
    return std::move(out_);
  }

 private:
  void start(Table table, const CsvRow& header) {
    table_ = table;
    header_ = header;
    // Nsight Compute leaves out what is empty at the end of a row of a long table.
    least_ = table == Table::Long ? column(header, "Metric Value") + 1 : header.size();
    units_.assign(header.size(), "");
    name_ = column(header, "name");
    kernel_ = column(header, kKernel);
    grid_ = column(header, kGrid);
    block_ = column(header, kBlock);
    id_ = column(header, "ID");
    if (table == Table::Source && kernel_ == kNone && !announced_) out_.launches.emplace_back();
    announced_ = false;
    by_id_.clear();
  }

  // A source page says before each table whose it is. Where an instruction comes from several files, its launch has a
  // table for each of them.
  void start_launch(const CsvRow& row) {
    table_ = Table::None;
    announced_ = true;
    const bool goes_on = row[0] == "Function Name" && !out_.launches.empty() && out_.launches.back().kernel == row[1] &&
                         !files_.contains(file_);
    if (!goes_on) {
      out_.launches.emplace_back().kernel = row[1];
      files_.clear();
    }
    files_.insert(file_);
  }

  void add(const CsvRow& row) {
    if (table_ == Table::Source) return add_source(row);
    if (id_ != kNone && field(row, id_).empty()) {
      units_ = row;
      return;
    }
    table_ == Table::Wide ? add_wide(row) : add_long(row);
  }

  NcuLaunch& new_launch(const CsvRow& row) {
    NcuLaunch& launch = out_.launches.emplace_back();
    launch.name = field(row, name_);
    launch.kernel = field(row, kernel_);
    launch.grid = shape(field(row, grid_));
    launch.block = shape(field(row, block_));
    launch.compute_capability = field(row, column(header_, "CC"));
    return launch;
  }

  void add_wide(const CsvRow& row) {
    NcuLaunch& launch = new_launch(row);
    for (size_t i = 0; i < row.size(); ++i)
      if (is_metric(header_[i])) put(launch.metrics, header_[i], row[i], units_[i]);
  }

  void add_long(const CsvRow& row) {
    const std::string id = id_ != kNone ? field(row, id_) : field(row, name_) + "\n" + field(row, kernel_);
    const auto [known, is_new] = by_id_.try_emplace(id, out_.launches.size());
    if (is_new) new_launch(row);
    const std::string& metric = field(row, column(header_, "Metric Name"));
    if (!metric.empty())
      put(out_.launches[known->second].metrics, metric, field(row, column(header_, "Metric Value")),
          field(row, column(header_, "Metric Unit")));
  }

  void put(std::map<std::string, Printed>& figures, const std::string& title, const std::string& text,
           const std::string& unit) {
    if (const auto number = printed_number(text, unit, comma_)) figures[title] = *number;
  }

  // In an excerpt, rows of one launch follow one another and carry its name.
  NcuLaunch& launch_of(const CsvRow& row) {
    if (kernel_ == kNone) return out_.launches.back();
    const std::string& name = name_ != kNone ? field(row, name_) : field(row, kernel_);
    if (out_.launches.empty() || last_name_ != name) new_launch(row);
    last_name_ = name;
    return out_.launches.back();
  }

  void add_source(const CsvRow& row) {
    NcuLaunch& launch = launch_of(row);
    const size_t line = column(header_, "Line No");
    NcuRow added;
    added.file = file_;
    added.address = address(field(row, column(header_, kAddress)));
    const std::string& number = field(row, line);
    std::from_chars(number.data(), number.data() + number.size(), added.line);
    if (!added.address && added.line == 0) return;  // instructions that were left out: "..."
    for (size_t i = 0; i < row.size(); ++i) {
      if (header_[i] == "Source")
        added.text = added.text.empty() ? row[i] : added.text;
      else if (i != line)
        put(added.figures, header_[i], row[i], "");
    }
    (added.address ? launch.instructions : launch.lines).push_back(std::move(added));
  }

  std::vector<CsvRow> rows_;
  NcuExport out_;
  Table table_ = Table::None;
  CsvRow header_, units_;
  size_t least_ = 0;  // columns of a row
  size_t name_ = kNone, kernel_ = kNone, grid_ = kNone, block_ = kNone, id_ = kNone;
  bool comma_ = false, announced_ = false;
  std::string file_, last_name_;
  std::set<std::string> files_;          // of the launch at hand
  std::map<std::string, size_t> by_id_;  // launches of a long table
  size_t progress_ = 0, left_out_ = 0;
};

bool same_figures(const NcuRow& a, const NcuRow& b) {
  return std::equal(a.figures.begin(), a.figures.end(), b.figures.begin(), b.figures.end(),
                    [](auto& x, auto& y) { return x.first == y.first && x.second.value == y.second.value; });
}

bool same_table(const NcuLaunch& a, const NcuLaunch& b) {
  return a.kernel == b.kernel &&
         std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(), b.instructions.end(),
                    [](const NcuRow& x, const NcuRow& y) { return x.address == y.address && same_figures(x, y); });
}

// ncu 2025.3 writes each launch's table of instructions twice.
void drop_second_copies(NcuExport& profile) {
  std::vector<NcuLaunch>& launches = profile.launches;
  if (launches.size() % 2 != 0) return;
  for (size_t i = 0; i < launches.size(); i += 2)
    if (launches[i].instructions.empty() || !launches[i].lines.empty() || !same_table(launches[i], launches[i + 1]))
      return;
  for (size_t i = 0; i < launches.size(); i += 2) {
    if (i != 0) launches[i / 2] = std::move(launches[i]);
  }
  launches.resize(launches.size() / 2);
}

}  // namespace

Result<NcuExport> read_ncu(std::string_view text) {
  const size_t at = first_table(text);
  if (at == text.npos) {
    if (auto rows = parse_csv(text); !rows) return rows.error();
    return Error{"there is no table of Nsight Compute in it",
                 "ncu -i REPORT.ncu-rep --page raw --csv --print-units base > FILE.csv"};
  }
  auto rows = parse_csv(text.substr(at));
  if (!rows) return rows.error();
  NcuExport out = Reader(std::move(*rows)).read();
  drop_second_copies(out);
  if (out.launches.empty()) return Error{"its table has no launch in it", "did the program launch a kernel?"};
  return out;
}

}  // namespace warplens::compare
