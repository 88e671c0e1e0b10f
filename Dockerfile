# The digests fix the base images; the tags beside them name their versions. Raise both together.

FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS source
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# The build needs the development dependencies, but none of their install scripts. It writes the
# same files as in the npm package.
FROM source AS build
RUN npm ci --ignore-scripts
COPY tsconfig.json build.ts caseway.mjs README.md LICENSE ./
COPY schema schema
COPY src src
COPY sandbox sandbox
COPY client client
COPY testing testing
COPY playground playground
COPY docs docs
COPY tools tools
RUN ["npm", "run", "build"]
# The folder of AUDIT_FILE. The process owns it, and so a volume mounted there.
RUN ["mkdir", "/app/audit"]

# The package's manifest names the packages that are not bundled, and the sandbox's as optional.
# Their versions come from the lockfile.
FROM source AS dependencies
COPY --from=build /app/dist/package.json ./
RUN npm install --omit=dev --omit=optional --ignore-scripts

FROM source AS sandbox-dependencies
COPY --from=build /app/dist/package.json ./
RUN npm install --omit=dev --ignore-scripts

# An allocator that returns memory to the system. It needs only libraries that Node needs too.
FROM source AS allocator
RUN apt-get update && apt-get install --yes --no-install-recommends libjemalloc2 && cp /usr/lib/*/libjemalloc.so.2 /

# Node only: no shell, no package manager. Its entry point is `/nodejs/bin/node`.
FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a AS gateway
WORKDIR /app
# A container receives requests from outside.
ENV NODE_ENV=production HOST=0.0.0.0
# In megabytes. Without a limit Node keeps garbage while the machine has room. These fit a container
# of 768 MB.
# v8-pool-size=0 chooses the number of threads by the spare cores. The default, four, would push the
# event loop off its core.
ENV NODE_OPTIONS="--max-old-space-size=512 --max-semi-space-size=16 --v8-pool-size=0"
COPY --from=allocator /libjemalloc.so.2 /usr/lib/
ENV LD_PRELOAD=/usr/lib/libjemalloc.so.2
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist ./
COPY --from=build --chown=65532:65532 /app/audit /var/log/caseway

# All files belong to root, so the process cannot change its own code. The root file system can be
# read-only.
USER 65532:65532
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/nodejs/bin/node", "src/cli/healthcheck.js"]
CMD ["src/main.js"]

# The platform with sample data, which needs more packages: `docker build --target sandbox`.
FROM gateway AS sandbox
COPY --from=sandbox-dependencies /app/node_modules node_modules
# Without a mounted volume its data would be lost anyway.
ENV SANDBOX_FILE=:memory:
CMD ["src/main.js", "sandbox"]

# The default target.
FROM gateway
