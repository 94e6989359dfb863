# One image, two processes: a gateway by default, a worker with the command `node dist/workers/main.js`.
# `node dist/src/platform/postgres/migrate-main.js` and `node dist/src/accounts/host/operator-main.js` run once and end.
# Debian and Node 22, since uWebSockets.js is built for glibc and for no later Node.

FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# What the installation mends in packages.
COPY src/platform/postgres/patches src/platform/postgres/patches
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY workers workers
RUN npm run build

FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY src/platform/postgres/patches src/platform/postgres/patches
RUN npm ci --omit=dev --omit=optional
# uWebSockets.js carries a binary for every system and Node, 133 MB; one is loaded, and the last line proves it.
RUN binary="uws_$(node -p '[process.platform, process.arch, process.versions.modules].join("_")').node" \
  && find node_modules/uWebSockets.js/dist/bin -type f ! -name "$binary" -delete \
  && node --input-type=module -e "import 'uWebSockets.js'"

FROM node:22-bookworm-slim
ENV NODE_ENV=production APP_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
# What customers send is kept here: a volume that every gateway and worker shares.
ENV DATA_DIR=/data
RUN install -d -o node -g node /data
VOLUME /data
USER node
EXPOSE 8080
# A worker listens on no port: switch the check off for it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Draining takes up to DRAIN_TIMEOUT, 25 s: stop with a grace of 30 s or more.
CMD ["node", "dist/src/main.js"]
