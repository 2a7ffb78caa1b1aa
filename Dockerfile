# One image for every service; it runs from source. Another command makes it another service.

# Another base where the registry is reached through a certificate authority of one's own.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS manifests
WORKDIR /tree
COPY . .
# Only what decides the dependencies, so that a change of source does not install them again.
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete

FROM ${NODE_IMAGE}
WORKDIR /app
# An older Node of another base would fail only when a service starts, with a stack.
RUN node -e "if (parseInt(process.versions.node) < 24) { console.error('Despatch requires Node.js 24, and this image has ' + process.versions.node); process.exit(1) }"
COPY --from=manifests /tree ./
RUN npm ci --omit=dev --no-audit --no-fund --loglevel=error && npm cache clean --force
COPY . .
# What is kept between starts, where a volume may be put.
RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production HOST=0.0.0.0 DESPATCH_DATA_DIR=/data
USER node
CMD ["node", "services/print-request/src/main.ts"]
