#include "nlc/console/console.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include "runtime/utf8.h"

namespace nlc::workbench {
namespace {

std::atomic<bool> lost = false;

bool write_text(std::FILE* stream, std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return std::fflush(stream) == 0 && whole;
}

void write_line(std::FILE* stream, std::string_view line) {
  (void)write_text(stream, std::string(line) + "\n");
}

/// Nobody hears us any more. Who ends in good order on SIGTERM does so now; the others end at once.
void lose_output() {
  const int why = errno;
  if (lost.exchange(true)) return;
  complain(std::string("cannot write to stdout: ") + std::strerror(why));
  if (why == EIO) return;  // the terminal went, which SIGHUP tells
  struct sigaction present {};
  ::sigaction(SIGTERM, nullptr, &present);
  if (present.sa_handler == SIG_DFL) ::_exit(1);
  ::kill(::getpid(), SIGTERM);
}

/// Why it cannot be written; empty where it was.
std::string try_to_write(const std::string& file, const std::string& text,
                         std::ios::openmode mode) {
  errno = 0;
  std::ofstream stream(file, mode | std::ios::binary);
  stream << text;
  stream.close();
  return stream ? "" : file + ": " + std::strerror(errno);
}

bool write_file(const std::string& file, const std::string& text, std::ios::openmode mode) {
  if (file.empty()) return true;
  const std::string why = try_to_write(file, text, mode);
  return is_well(why.empty() ? "" : "cannot write " + why);
}

/// Devices and pipes may be named twice.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code none;
  if (std::filesystem::exists(one, none)) {
    return std::filesystem::is_regular_file(one, none) &&
           std::filesystem::equivalent(one, other, none);
  }
  return std::filesystem::weakly_canonical(one, none) ==
         std::filesystem::weakly_canonical(other, none);
}

constexpr std::string_view written_by_us = "# Written by nlc, which will write it anew.";

bool is_somebody_elses(const std::string& file) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return false;
  std::string first;
  std::getline(std::ifstream(file), first);
  return std::filesystem::file_size(file, none) > 0 && first != written_by_us;
}

}  // namespace

void say(std::string_view line) { say_text(std::string(line) + "\n"); }

void say_text(std::string_view text) {
  show_progress("");
  if (!write_text(stdout, text)) lose_output();
}

bool output_is_lost() { return lost; }

void complain(std::string_view line) {
  show_progress("");
  write_line(stderr, "nlc: " + error_line(line));
}

bool is_well(std::string_view wrong) {
  if (!wrong.empty()) complain(wrong);
  return wrong.empty();
}

void say_aside(std::string_view line) { write_line(stderr, line); }

void show_progress(std::string_view text) {
  static std::size_t above = 0;  // lines of the last text, but for the one that the cursor is in
  static bool shown = false;
  if (::isatty(STDERR_FILENO) != 1 || (!shown && text.empty())) return;
  const std::string up = above == 0 ? "" : "\033[" + std::to_string(above) + "A";
  (void)write_text(stderr, "\r" + up + "\033[J" + std::string(text));
  above = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  shown = !text.empty();
}

void ConsoleLog::write(LogLevel level, std::string_view message, Fields fields) {
  if (level != LogLevel::Warning && level != LogLevel::Error) return;
  std::string line(message);
  for (const LogField& field : fields) {
    line += " " + std::string(field.key) + "=" + field.value;
  }
  complain(line);
}

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

bool write_file(const std::string& file, const std::string& text) {
  return write_file(file, text, std::ios::trunc);
}

bool append_file(const std::string& file, const std::string& text) {
  return write_file(file, text, std::ios::app);
}

bool can_write(const std::vector<std::string>& files, const std::vector<std::string>& read) {
  std::vector<std::string> taken = read;
  for (const std::string& file : files) {
    if (file.empty()) continue;
    const auto same = [&](const std::string& other) { return is_same_file(file, other); };
    if (const auto other = std::ranges::find_if(taken, same); other != taken.end()) {
      complain("cannot write " + file + ": " +
               (other - taken.begin() < std::ssize(read) ? "it is what is read"
                                                         : "it is to be written by another flag"));
      return false;
    }
    taken.push_back(file);
    std::error_code none;
    const bool is_new = !std::filesystem::exists(file, none);
    if (!append_file(file, "")) return false;
    if (is_new) std::filesystem::remove(std::filesystem::canonical(file, none), none);
  }
  return true;
}

std::string write_kubeconfig(const std::string& file, const std::string& server) {
  if (is_somebody_elses(file)) {
    return "kubeconfig " + file +
           " is there already and nlc did not write it; remove it, or name another file";
  }
  const std::string text = std::string(written_by_us) + R"(
apiVersion: v1
kind: Config
current-context: nlc
contexts:
- name: nlc
  context: {cluster: nlc, user: nlc}
clusters:
- name: nlc
  cluster: {server: ")" + server +
                           R"("}
users:
- name: nlc
  user: {}
)";
  const std::string why = try_to_write(file, text, std::ios::trunc);
  return why.empty() ? "" : "cannot write kubeconfig " + why;
}

}  // namespace nlc::workbench
