# The page of the console and the program are built here, by what the service itself never needs.
FROM node:24-bookworm-slim AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
# The program is built with its packages. With the optional ones: the bundler's program for this platform is one.
RUN npm ci --omit=dev && npm install --no-save --include=dev --workspace=console
COPY tsconfig.json ./
COPY console console
COPY src src
COPY scripts/built-folder.ts scripts/build-console.ts scripts/build-program.ts scripts/page-code.ts scripts/
RUN node scripts/build-console.ts && node scripts/build-program.ts

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Node.js is in the image already; the other optional packages are for development.
RUN npm ci --omit=dev --omit=optional
COPY bin bin
COPY src src
COPY docs/openapi.json docs/openapi.json
COPY --from=built /app/console/dist console/dist
COPY --from=built /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
ENV POSTROAD_LISTEN=0.0.0.0:8587 \
    POSTROAD_DATABASE_URL=sqlite:/data/postroad.db
EXPOSE 8587
# SIGTERM lets open SMTP transactions finish; give it longer than POSTROAD_SHUTDOWN_TIMEOUT.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s CMD ["node", "-e", "fetch('http://127.0.0.1:8587/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bin/postroad"]
CMD ["serve"]
