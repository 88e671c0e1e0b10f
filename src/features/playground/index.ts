import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import type { FastifyHelmetOptions } from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import Negotiator from 'negotiator';

import { PACKAGE_ROOT } from '../../config/package.ts';
import { oncePer } from '../../core/once-per.ts';
import { printSdl } from '../../graphql/schema.ts';
import { credentialsOf } from '../../http/auth/modes.ts';
import { RequestError, STANDARD_HEADERS } from '../../http/errors.ts';
import type { Feature, SampleUser } from '../feature.ts';

/**
 * The folder that `npm run prepare` builds. If it is missing, the playground page describes how to
 * build it.
 */
const FOLDER = join(PACKAGE_ROOT, 'playground/dist');

/**
 * Serves the explorer at `/playground`, where `/` redirects to, and the schema at `/schema.graphql`
 * for callers of the graph. The pages load nothing from other origins, and their content security
 * policy forbids it.
 */
export const playground: Feature = {
  configure: () => ({
    open({ settings, isExplorable, sampleUsers, http, graph }) {
      if (!isExplorable) return;
      const toSdl = oncePer(createSdl);
      const readSdl: PlaygroundOptions['readSdl'] = async (request, reply) => {
        const { permissions } = (await request.server.authenticate(request, reply)).scope;
        const { schema } = graph.current();
        const visible = permissions ? permissions.schemaOf(schema) : schema;
        if (visible === undefined)
          throw new RequestError(403, 'Your role does not see the schema.');
        return toSdl(visible);
      };
      const credentials = credentialsOf(settings);
      const users = credentials === 'session' ? sampleUsers : [];
      const options = { folder: FOLDER, credentials, users, readSdl };
      http.plugins.push((pages) => servePlayground(pages, options));
    },
  }),
};

/** The text of a schema. Hundreds of forms have some MB, so it is compressed once. */
interface Sdl {
  readonly text: string;
  gzipped(): Promise<Buffer>;
}

const compress = promisify(gzip);

function createSdl(schema: GraphQLSchema): Sdl {
  const text = printSdl(schema);
  let gzipped: Promise<Buffer> | undefined;
  return {
    text,
    gzipped() {
      gzipped ??= compress(text);
      return gzipped;
    },
  };
}

/** The inputs of the playground's pages. */
interface PlaygroundOptions {
  readonly folder: string;
  /**
   * Returns the schema that the caller may see.
   *
   * @throws {RequestError} if the caller may not use the graph.
   */
  readonly readSdl: (request: FastifyRequest, reply: FastifyReply) => Promise<Sdl>;
  readonly credentials: string;
  /** The users that the sign-in offers. */
  readonly users: readonly SampleUser[];
}

export async function servePlayground(
  pages: FastifyInstance,
  { folder, readSdl, credentials, users }: PlaygroundOptions,
): Promise<void> {
  // Imported here, because most gateways in production have no playground.
  const [{ fastifyHelmet }, { fastifyStatic }] = await Promise.all([
    import('@fastify/helmet'),
    import('@fastify/static'),
  ]);
  await pages.register(fastifyHelmet, SECURITY);
  await pages.register(fastifyStatic, {
    root: folder,
    prefix: '/playground/',
    index: false,
    redirect: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', HASHED_NAME.test(basename(path)) ? FOREVER : ALWAYS_ASK);
    },
    // Without the warning for a missing folder: the page shows how to build it.
    suppressWarning: true,
  });

  pages.get('/playground', (_request, reply) =>
    existsSync(join(folder, PAGE)) ? reply.sendFile(PAGE) : sayHowToBuild(reply),
  );
  for (const path of ['/', '/playground/', `/playground/${PAGE}`]) {
    pages.get(path, (_request, reply) => reply.redirect('/playground', 302));
  }
  pages.get('/playground/config.json', (_request, reply) =>
    reply.header('cache-control', ALWAYS_ASK).send({ credentials, users }),
  );
  pages.get('/schema.graphql', async (request, reply) => {
    // Like introspection, it requires permission to call the graph.
    const sdl = await readSdl(request, reply);
    reply
      .type('text/plain; charset=utf-8')
      .header('content-disposition', 'attachment; filename="schema.graphql"')
      .header('cache-control', ALWAYS_ASK);
    const coding = new Negotiator(request.raw).encoding(['gzip', 'identity']);
    if (coding !== 'gzip') return reply.send(sdl.text);
    const { vary } = STANDARD_HEADERS;
    reply.header('content-encoding', 'gzip').header('vary', `${vary}, Accept-Encoding`);
    return reply.send(await sdl.gzipped());
  });
}

const PAGE = 'index.html';
const HASHED_NAME = /-[A-Z0-9]{8}\.\w+$/;
const FOREVER = 'public, max-age=31536000, immutable';
const ALWAYS_ASK = 'no-cache';

const SECURITY: FastifyHelmetOptions = {
  contentSecurityPolicy: {
    useDefaults: false,
    // The editor sets inline styles, and its style sheet contains fonts and icons as data. Its
    // workers are files.
    directives: {
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'worker-src': ["'self'"],
      'connect-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'font-src': ["'self'", 'data:'],
      'frame-ancestors': ["'none'"],
      'base-uri': ["'none'"],
      'form-action': ["'none'"],
    },
  },
  // The operator decides whether the host is served over TLS only.
  strictTransportSecurity: false,
};

function sayHowToBuild(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .type('text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(
      'The playground is not built yet: run `npm run prepare`, then reload this page. The API is at /graphql.\n',
    );
}
