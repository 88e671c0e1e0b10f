# Digests fix the bases; the tags beside them say what they were. Raise both together.

FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS source
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# The same files as in the npm package. It takes the development dependencies, but none of their install scripts.
FROM source AS build
RUN npm ci --ignore-scripts
COPY tsconfig.json build.ts caseway.mjs README.md LICENSE ./
COPY schema schema
COPY src src
COPY sandbox sandbox
COPY testing testing
COPY playground playground
COPY docs docs
COPY tools tools
RUN ["npm", "run", "build"]
# The folder of AUDIT_FILE: a volume that is mounted there belongs to the process, as it does.
RUN ["mkdir", "/app/audit"]

# The manifest of the package names what is not bundled, and the sandbox's packages as optional ones; the lockfile has their versions.
FROM source AS dependencies
COPY --from=build /app/dist/package.json ./
RUN npm install --omit=dev --omit=optional --ignore-scripts

FROM source AS sandbox-dependencies
COPY --from=build /app/dist/package.json ./
RUN npm install --omit=dev --ignore-scripts

# An allocator that gives memory back. It needs no more than libraries that Node needs too.
FROM source AS allocator
RUN apt-get update && apt-get install --yes --no-install-recommends libjemalloc2 && cp /usr/lib/*/libjemalloc.so.2 /

# Node and nothing else: no shell, no package manager. Its entry point is `/nodejs/bin/node`.
FROM gcr.io/distroless/nodejs24-debian12:nonroot@sha256:14d42e2511532589a7c7e01a753667a74fcc96266e137e8125006b87b0c32d0a AS gateway
WORKDIR /app
# A container is reached from outside.
ENV NODE_ENV=production HOST=0.0.0.0
# In megabytes. Without a bound Node lets garbage lie as long as the machine has room; this fits a container of 768 MB.
# As many threads collect it as there are cores to spare, 0 says; else four of them push the event loop off its core.
ENV NODE_OPTIONS="--max-old-space-size=512 --max-semi-space-size=8 --v8-pool-size=0"
COPY --from=allocator /libjemalloc.so.2 /usr/lib/
ENV LD_PRELOAD=/usr/lib/libjemalloc.so.2
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist ./
COPY --from=build --chown=65532:65532 /app/audit /var/log/caseway

# All files belong to root, so the process cannot change its own code; a read-only root file system suits it.
USER 65532:65532
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["/nodejs/bin/node", "src/cli/healthcheck.js"]
CMD ["src/main.js"]

# `docker build --target sandbox`: the platform with sample data, which needs more packages.
FROM gateway AS sandbox
COPY --from=sandbox-dependencies /app/node_modules node_modules
# There is nowhere to keep its data unless a volume is mounted for it.
ENV SANDBOX_FILE=:memory:
CMD ["src/main.js", "sandbox"]

# What is built unless a target is named.
FROM gateway
