#!/usr/bin/env bash
# Builds stand-ins for the Dockerfile's two base images, for a machine without access to an image registry:
# Debian with Node and npm (localhost/base-node), and Node with only its libraries (localhost/base-run).
# Needs root, buildah and debootstrap.
set -euo pipefail
export BUILDAH_ISOLATION=chroot
node=$(readlink -f node_modules/node/bin/node)
npm=$(readlink -f "$(dirname "$(readlink -f "$(command -v npm)")")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"; [ -z "${base:-}" ] || buildah rm "$base" >/dev/null 2>&1 || true' EXIT

debootstrap --variant=minbase bookworm "$work/debian" >"$work/log" || { tail "$work/log"; exit 1; }
base=$(buildah from scratch)
buildah copy -q "$base" "$work/debian" / >/dev/null
buildah copy -q "$base" "$node" /usr/local/bin/node >/dev/null
buildah copy -q "$base" "$npm" /usr/local/lib/node_modules/npm >/dev/null
buildah run "$base" -- ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
  buildah copy -q "$base" "$NODE_EXTRA_CA_CERTS" /etc/ssl/extra-ca.crt >/dev/null
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/extra-ca.crt "$base"
fi
buildah commit -q "$base" localhost/base-node >/dev/null
buildah rm "$base" >/dev/null

run=$work/run
mkdir -p "$run"/{nodejs/bin,etc,tmp,home/nonroot}
chmod 1777 "$run/tmp"
cp "$node" "$run/nodejs/bin/"
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$run$(dirname "$library")"
  cp -L "$library" "$run$library"
done
printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$run/etc/passwd"
base=$(buildah from scratch)
buildah copy -q "$base" "$run" / >/dev/null
buildah config --entrypoint '["/nodejs/bin/node"]' --user 65532 --workingdir /home/nonroot "$base"
buildah commit -q "$base" localhost/base-run >/dev/null
buildah rm "$base" >/dev/null
