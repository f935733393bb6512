# SPDX-License-Identifier: Apache-2.0
class Libkarp < Formula
  desc "Decides which nodes a Kubernetes cluster needs, as Karpenter does"
  homepage "https://libkarp.dev"
  url "https://libkarp.dev/releases/libkarp-@VERSION@.tar.gz"
  sha256 "@SHA256:libkarp-@VERSION@.tar.gz@"
  license "Apache-2.0"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "libyaml"

  uses_from_macos "python" => :build

  def install
    system "meson", "setup", "build", "-Dtests=false", "-Dio=enabled", "-Dcli=enabled", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
    generate_completions_from_executable(bin/"karp", "completion", shells: [:bash, :zsh, :fish], shell_parameter_format: :arg)
    pkgshare.install "examples/quickstart"
  end

  test do
    assert_match "Plan: 3 to launch", shell_output("#{bin}/karp plan -f #{pkgshare}/quickstart")
  end
end
