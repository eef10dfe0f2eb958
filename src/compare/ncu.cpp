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
  const bool text = column(header, "Source") != kNone || column(header, "SASS") != kNone;
  if (text && (column(header, kAddress) != kNone || column(header, "Line No") != kNone)) return Table::Source;
  if (!kernel) return Table::None;
  if (column(header, "Metric Name") != kNone && column(header, "Metric Value") != kNone) return Table::Long;
  return std::any_of(header.begin(), header.end(), is_metric) ? Table::Wide : Table::None;
}

bool starts_launch(const CsvRow& row) {
  return row.size() >= 2 && row[0] == "Kernel Name" && table_of(row) == Table::None;
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

// Is a ',' in this number its decimal point? Only where it cannot part thousands: "12,5", "1.234.567", "1.234,5".
bool has_decimal_comma(std::string_view text) {
  if (text.empty() ||
      !std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.' || c == ','; }))
    return false;
  const size_t comma = text.rfind(','), point = text.rfind('.');
  if (comma == text.npos) return std::count(text.begin(), text.end(), '.') > 1;
  if (point != text.npos) return point < comma;
  return std::count(text.begin(), text.end(), ',') == 1 && text.size() - comma - 1 != 3;
}

class Reader {
 public:
  explicit Reader(std::vector<CsvRow> rows) : rows_(std::move(rows)) {
    for (const CsvRow& row : rows_) comma_ |= row.size() > 2 && std::any_of(row.begin(), row.end(), has_decimal_comma);
  }

  NcuExport read() {
    for (const CsvRow& row : rows_) {
      if (const Table table = table_of(row); table != Table::None) {
        start(table, row);
      } else if (starts_launch(row)) {
        start_launch(row);
      } else if (row.size() == 2 && row[0] == "File Name") {
        file_ = row[1];
      } else if (table_ == Table::None || row.size() != header_.size()) {
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

  // A source page says before each table whose it is.
  void start_launch(const CsvRow& row) {
    NcuLaunch& launch = out_.launches.emplace_back();
    launch.kernel = row[1];
    for (size_t i = 2; i + 1 < row.size(); i += 2) {
      if (row[i] == "Grid Size") launch.grid = shape(row[i + 1]);
      if (row[i] == "Block Size") launch.block = shape(row[i + 1]);
    }
    file_.clear();
    table_ = Table::None;
    announced_ = true;
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
    const size_t line = column(header_, "Line No"), sass = column(header_, "SASS");
    NcuRow added;
    added.file = file_;
    added.address = address(field(row, column(header_, kAddress)));
    const std::string& number = field(row, line);
    std::from_chars(number.data(), number.data() + number.size(), added.line);
    added.text = !field(row, sass).empty() ? field(row, sass) : field(row, column(header_, "Source"));
    for (size_t i = 0; i < row.size(); ++i)
      if (i != line && i != sass && header_[i] != "Source") put(added.figures, header_[i], row[i], "");
    (added.address ? launch.instructions : launch.lines).push_back(std::move(added));
  }

  std::vector<CsvRow> rows_;
  NcuExport out_;
  Table table_ = Table::None;
  CsvRow header_, units_;
  size_t name_ = kNone, kernel_ = kNone, grid_ = kNone, block_ = kNone, id_ = kNone;
  bool comma_ = false, announced_ = false;
  std::string file_, last_name_;
  std::map<std::string, size_t> by_id_;  // launches of a long table
  size_t progress_ = 0, left_out_ = 0;
};

}  // namespace

Result<NcuExport> read_ncu(std::string_view text) {
  if (const auto checked = parse_csv(text.substr(0, 0)); !checked) return checked.error();
  const size_t at = first_table(text);
  if (at == text.npos) {
    if (auto rows = parse_csv(text); !rows) return rows.error();
    return Error{"there is no table of Nsight Compute in it",
                 "ncu -i REPORT.ncu-rep --page raw --csv --print-units base > FILE.csv"};
  }
  auto rows = parse_csv(text.substr(at));
  if (!rows) return rows.error();
  NcuExport out = Reader(std::move(*rows)).read();
  if (out.launches.empty()) return Error{"its table has no launch in it", "did the program launch a kernel?"};
  return out;
}

}  // namespace warplens::compare
