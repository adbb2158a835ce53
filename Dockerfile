# One node of Animal Store. The tests check this file and run its health check, without Docker.
FROM node:26-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# All of it: the bundler's program is an optional package. This stage is thrown away.
RUN npm ci
COPY tsconfig.json ./
COPY client ./client
COPY console ./console
COPY widget ./widget
# The console shares the columns of CSV files with the commands.
COPY src ./src
RUN node console/build.ts --strict
RUN node client/pack.ts

FROM node:26-bookworm-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image brings Node; the runtime packages of npm are for machines without one. Other optional packages are binaries of sharp.
RUN npm ci --omit=dev && rm -r node_modules/node-linux-* node_modules/.bin/node && mkdir /data && chown node:node /data
COPY src ./src
COPY sample ./sample
COPY docs/guides ./docs/guides
COPY --from=console /app/console/dist ./console/dist
COPY --from=console /app/client/dist ./client/dist
USER node
ENV HOST=0.0.0.0 DATABASE_URL=sqlite:/data/animal-store.db
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "src/main.ts", "serve"]
