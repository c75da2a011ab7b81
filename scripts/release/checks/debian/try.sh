#!/bin/bash
# Runs in a new Debian system that has booted: installs, upgrades, removes and purges /root/first.deb and /root/second.deb.
set -euo pipefail

DB=/var/lib/daybook/daybook.db
as_service() { runuser -u daybook -- daybook "$@" --db "$DB"; }
notes() { request "/v1/notes?search=$1" | grep -o '"total":[0-9]*'; }
main_pid() { systemctl show --property=MainPID --value daybook; }

fail() {
  echo "FAILED: $*"
  journalctl --unit daybook --no-pager | tail -20
  exit 1
}

# The response to a GET on this path, by bash alone.
request() {
  exec 3<>"/dev/tcp/127.0.0.1/$PORT"
  printf 'GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n' "$1" "$KEY" >&3
  cat <&3
  exec 3>&-
}

until_healthy() {
  for _ in $(seq 100); do
    if as_service health >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "the service does not answer"
}

echo "== installed"
dpkg --install /root/first.deb
PORT=8787
until_healthy
KEY=$(journalctl --unit daybook | grep -o 'dbk_[A-Za-z0-9_-]\{43\}' | head -1)
journalctl --unit daybook | grep -q '/app#setup=' || fail "no link to the application"
systemctl is-enabled daybook
[ "$(stat --format='%U %a' "$DB")" = 'daybook 600' ] || fail "$(stat --format='%U %a' "$DB")"
[ "$(stat --format='%U %a' /var/lib/daybook)" = 'daybook 700' ] || fail "the folder of the database"
[ "$(stat --format=%U "/proc/$(main_pid)")" = daybook ] || fail "the service runs as another user"
grep -q '^Seccomp:[[:space:]]*2' "/proc/$(main_pid)/status" || fail "the service has no filter of system calls"
echo 'A chimney on the roof.' | as_service note add --title Kept
[ "$(notes chimney)" = '"total":1' ] || fail "the note is not found"
man_page=/usr/share/man/man1/daybook.1.gz
[ -s "$man_page" ] || [ -e /etc/dpkg/dpkg.cfg.d/docker ] || fail "no manual page"
bash -c 'source /usr/share/bash-completion/completions/daybook && complete -p daybook'

echo "== a setting"
sed -i 's/^#DAYBOOK_PORT=.*/DAYBOOK_PORT=8790/' /etc/default/daybook
systemctl restart daybook
PORT=8790
until_healthy
[ "$(notes chimney)" = '"total":1' ] || fail "the note is not found on the other port"

echo "== upgraded"
before=$(main_pid)
dpkg --install /root/second.deb
until_healthy
[ "$(main_pid)" != "$before" ] || fail "the service was not started again"
grep -q '^DAYBOOK_PORT=8790' /etc/default/daybook || fail "the setting is gone"
[ "$(notes chimney)" = '"total":1' ] || fail "the note is not found after the upgrade"

echo "== removed"
dpkg --remove daybook
if systemctl is-active --quiet daybook; then fail "the service still runs"; fi
[ ! -e /usr/bin/daybook ] || fail "the program is still there"
[ -s "$DB" ] || fail "the data are gone"

echo "== installed again"
dpkg --install /root/second.deb
until_healthy
[ "$(notes chimney)" = '"total":1' ] || fail "the note is not found after a new installation"

echo "== purged"
dpkg --purge daybook
[ ! -e /etc/default/daybook ] || fail "the settings are still there"
[ -s "$DB" ] || fail "the data are gone"
getent passwd daybook >/dev/null || fail "the user is gone"
echo PASSED
