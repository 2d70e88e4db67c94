#include "nlc/console.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace nlc::sim {
namespace {

void write_line(std::FILE* stream, std::string_view line) {
  const std::string text = std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace

void say(std::string_view line) {
  show_progress("");
  write_line(stdout, line);
}

void complain(std::string_view line) { write_line(stderr, "nlc: " + std::string(line)); }

void say_aside(std::string_view line) { write_line(stderr, line); }

void show_progress(std::string_view text) {
  if (::isatty(STDERR_FILENO) != 1) return;
  const std::string line = "\r\033[K" + std::string(text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
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
  if (file.empty()) return true;
  errno = 0;
  std::ofstream stream(file, std::ios::trunc | std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return true;
  complain("cannot write " + file + ": " + std::strerror(errno));
  return false;
}

std::string write_kubeconfig(const std::string& file, const std::string& server) {
  errno = 0;
  std::ofstream stream(file, std::ios::trunc);
  stream << "apiVersion: v1\n"
            "kind: Config\n"
            "current-context: nlc\n"
            "contexts:\n"
            "- name: nlc\n"
            "  context: {cluster: nlc, user: nlc}\n"
            "clusters:\n"
            "- name: nlc\n"
            "  cluster: {server: \"" +
                server +
                "\"}\n"
                "users:\n"
                "- name: nlc\n"
                "  user: {}\n";
  stream.close();
  if (stream) return {};
  return "cannot write kubeconfig " + file + ": " + std::strerror(errno);
}

}  // namespace nlc::sim
