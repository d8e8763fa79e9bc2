#!/bin/sh
# Makes sure that a Chromium (and, with --firefox, a Firefox) is there: finds
# one, or installs it with the system's package manager, and says so.
set -eu

say() { echo "browsers: $*" >&2; }

find_one() {
  for name in "$@"; do
    if command -v "$name" >/dev/null 2>&1; then
      command -v "$name"
      return 0
    fi
  done
  return 1
}

find_chromium() {
  find_one chromium chromium-browser google-chrome google-chrome-stable microsoft-edge brave-browser && return
  for app in "Google Chrome" Chromium "Microsoft Edge" "Brave Browser"; do
    [ -x "/Applications/$app.app/Contents/MacOS/$app" ] && echo "/Applications/$app.app/Contents/MacOS/$app" && return
  done
  return 1
}

find_firefox() {
  find_one firefox-esr firefox && return
  [ -x /Applications/Firefox.app/Contents/MacOS/firefox ] && echo /Applications/Firefox.app/Contents/MacOS/firefox
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_package() { # apt, dnf, pacman and brew names
  say "installing $1 with the system's package manager"
  if command -v apt-get >/dev/null 2>&1; then
    as_root env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update -qq && apt-get install -qq -y --no-install-recommends $1" >&2
  elif command -v dnf >/dev/null 2>&1; then
    as_root dnf install -y "$2" >&2
  elif command -v pacman >/dev/null 2>&1; then
    as_root pacman -Sy --noconfirm "$3" >&2
  elif command -v brew >/dev/null 2>&1; then
    brew install --cask "$4" >&2
  else
    say "no apt-get, dnf, pacman or brew here: install $1 by hand"
    exit 1
  fi
}

if path=$(find_chromium); then
  say "using $path"
else
  install_package "chromium fonts-liberation" chromium chromium chromium
  say "using $(find_chromium)"
fi
if [ "${1:-}" = --firefox ]; then
  if path=$(find_firefox); then
    say "using $path"
  else
    install_package firefox-esr firefox firefox firefox
    say "using $(find_firefox)"
  fi
  # A screen for the tests of browsers with windows.
  if [ "$(uname)" = Linux ] && ! command -v Xvfb >/dev/null 2>&1; then
    install_package xvfb xorg-x11-server-Xvfb xorg-server-xvfb ""
  fi
fi
