#!/bin/sh
# What the tests use of the machine. Says at once what is missing and which command installs it;
# with --packages prints only the names of the missing packages, for a script to install.
missing=
reasons=
need() { # package, what it is for, programs of which one is enough
  package=$1
  purpose=$2
  shift 2
  for program; do
    if command -v "$program" >/dev/null 2>&1; then return; fi
  done
  missing="$missing $package"
  reasons="$reasons
  $package: $purpose"
}

# As test/support/browser.ts looks for it. The shell alone, where a machine has it, does half the work.
browser='the pages are looked at in a real browser'
if [ -n "$CHROMIUM_PATH" ]; then
  need chromium "$browser ($CHROMIUM_PATH, as CHROMIUM_PATH says, is none)" "$CHROMIUM_PATH"
else
  need chromium "$browser" chromium-headless-shell chromium chromium-browser google-chrome
fi
need bubblewrap 'agents run in a real sandbox' bwrap
need git 'agents work in real repositories' git
need openssl 'makes the certificates of the tests with a proxy' openssl

if [ "$1" = --packages ]; then
  echo $missing
  exit
fi
if [ -z "$missing" ]; then
  bwrap --ro-bind / / --unshare-pid true 2>/dev/null ||
    echo 'Warning: bubblewrap cannot make a sandbox here, so tests of the sandbox may fail.' >&2
  exit 0
fi
install='with your package manager:'
for manager in 'apt-get install' 'dnf install' 'pacman -S' 'apk add' 'brew install'; do
  if command -v "${manager%% *}" >/dev/null 2>&1; then
    install=$manager
    break
  fi
done
if [ "$(id -u)" != 0 ] && command -v sudo >/dev/null 2>&1 && [ "$install" != 'brew install' ]; then
  install="sudo $install"
fi
printf 'The tests need what this machine has not:%s\n\nInstall it: %s%s\n' \
  "$reasons" "$install" "$missing" >&2
exit 1
