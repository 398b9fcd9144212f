#!/usr/bin/env bash
# Makes sure that there is a Chromium for the tests of the HTML report, installing it from the system's packages if it can.
# Without one those tests say that they are skipped, so this never fails.
set -u
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
if command -v apt-get >/dev/null 2>&1; then
    echo "installing Chromium for the tests of the HTML report"
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1 ||
        { $sudo apt-get update -qq >/dev/null 2>&1 &&
            $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1; }
fi
command -v chromium >/dev/null 2>&1 || echo "no Chromium: the tests of the HTML report in a browser are skipped"
exit 0
