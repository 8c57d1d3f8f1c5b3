#!/usr/bin/env bash
# Provides the mail servers that test/peers speaks to: Postfix, Exim and OpenSMTPD as Debian packages, each unpacked into a folder of
# its own under .cache/peers (or $POSTROAD_TEST_PEERS). Nothing is installed: as packages they exclude each other, and any of them
# would put itself in the way of the system's mail. What is there already stays. Debian and its derivatives; needs no root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(realpath -m "${POSTROAD_TEST_PEERS:-.cache/peers}")

# Debian's packages of each server; as a client Postfix logs in with the modules of SASL.
declare -A packages=([postfix]="postfix libsasl2-modules" [exim]=exim4-daemon-light [opensmtpd]=opensmtpd)

for tool in apt-get dpkg-deb tar; do
  if ! command -v "$tool" >/dev/null; then
    echo "test/peers/fetch.sh: $tool is not there: the servers come as Debian packages" >&2
    exit 1
  fi
done

# Downloads packages into a folder, and what they need and the system has not.
download() {
  local folder=$1
  shift
  mkdir -p "$folder/partial"
  apt-get install -q --download-only --reinstall -y --no-install-recommends -o Debug::NoLocking=true \
    -o Dir::Cache::archives="$folder" -o APT::Sandbox::User=root "$@" >"$folder/apt.log" 2>&1
}

for server in "${!packages[@]}"; do
  [ -d "$folder/$server" ] && continue
  archives=$(mktemp -d)
  read -ra names <<<"${packages[$server]}"
  if ! download "$archives" "${names[@]}"; then
    # The lists of packages may be old, or missing.
    apt-get update -q >/dev/null
    download "$archives" "${names[@]}" || { cat "$archives/apt.log" >&2; exit 1; }
  fi
  rm -rf "$folder/$server.part"
  mkdir -p "$folder/$server.part"
  for archive in "$archives"/*.deb; do
    dpkg-deb --fsys-tarfile "$archive" |
      tar -x -C "$folder/$server.part" --exclude=./usr/share --exclude=./var --exclude=./etc
  done
  # Whole or not at all.
  mv "$folder/$server.part" "$folder/$server"
  rm -rf "$archives"
done
