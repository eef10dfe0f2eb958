#include "audit/messages.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace warplens::audit {
namespace {

void write_all(int fd, const std::string& text) { [[maybe_unused]] ssize_t n = write(fd, text.data(), text.size()); }

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

}  // namespace

std::string environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

void say_error(const std::string& what, const std::string& hint) {
  write_all(STDERR_FILENO, "warplens: " + what + "\n  hint: " + hint + "\n");
  std::string spool = environment("WARPLENS_SPOOL");
  if (spool.empty()) return;
  int fd = open(spool.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  write_all(fd, "{\"note\":{\"kind\":\"error\",\"message\":" + quoted(what) + ",\"hint\":" + quoted(hint) +
                    ",\"file\":\"\",\"line\":0,\"count\":1}}\n");
  close(fd);
}

}  // namespace warplens::audit
