#!/usr/bin/env bash
# Provides the mail servers that test/peers speaks to (Postfix, Exim, OpenSMTPD, sendmail, chasquid, Dovecot), the proxies that it goes
# through (HAProxy, microsocks) and the clients of test/clients/debian (Symfony Mailer, Anymail for Django) as Debian packages, each unpacked into a folder of its own under .cache/peers (or
# $POSTROAD_TEST_PEERS). Nothing is installed: as packages the servers exclude each other, and any of them would put itself in the way
# of the system's mail. What is there already stays. Debian and its derivatives; needs no root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(realpath -m "${POSTROAD_TEST_PEERS:-.cache/peers}")

# Debian's packages of each; as a client Postfix logs in with the modules of SASL.
declare -A packages=(
  [postfix]='postfix libsasl2-modules' [exim]=exim4-daemon-light [opensmtpd]=opensmtpd
  [sendmail]='sendmail-bin sendmail-cf libsasl2-modules'
  [dovecot]=dovecot-imapd [chasquid]=chasquid [haproxy]=haproxy [microsocks]=microsocks
  [symfony]='php-symfony-mailgun-mailer php-symfony-http-client php-cli' [anymail]=python3-django-anymail
)
# What is left out: of a server its documentation and what it would keep. Libraries of PHP lie in /usr/share, and what sendmail's
# configuration is made of.
server=(--exclude=./usr/share --exclude=./var --exclude=./etc)
client=(--exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./var --exclude=./etc)
declare -A kinds=([symfony]=client [anymail]=client [sendmail]=client)

for tool in apt-get dpkg-deb tar; do
  if ! command -v "$tool" >/dev/null; then
    echo "test/peers/fetch.sh: $tool is not there: the servers come as Debian packages" >&2
    exit 1
  fi
done

# Downloads packages with the dependencies that the system lacks: FOLDER PACKAGE... The modules and libraries of PHP are looked up in the
# folder alone, so apt does not see those that the system has, nor the system's packages that depend on them.
download() {
  mkdir -p "$1/partial"
  awk 'BEGIN { RS = ""; ORS = "\n\n" } $2 !~ /^php/ && !/\n(Pre-)?Depends:[^\n]*php/' /var/lib/dpkg/status >"$1/status"
  apt-get install -q --download-only --reinstall -y --no-install-recommends -o Debug::NoLocking=true \
    -o Dir::State::status="$1/status" -o Dir::Cache::archives="$1" -o APT::Sandbox::User=root "${@:2}" >"$1/apt.log" 2>&1
}

for name in "${!packages[@]}"; do
  [ -d "$folder/$name" ] && continue
  archives=$(mktemp -d)
  read -ra wanted <<<"${packages[$name]}"
  if ! download "$archives" "${wanted[@]}"; then
    # The lists of packages may be old, or missing.
    apt-get update -q >/dev/null
    download "$archives" "${wanted[@]}" || { cat "$archives/apt.log" >&2; exit 1; }
  fi
  rm -rf "$folder/$name.part"
  mkdir -p "$folder/$name.part"
  declare -n without=${kinds[$name]:-server}
  for archive in "$archives"/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$folder/$name.part" "${without[@]}"
  done
  # Whole or not at all.
  mv "$folder/$name.part" "$folder/$name"
  rm -rf "$archives"
done
