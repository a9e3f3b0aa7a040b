import { createRequire } from 'node:module';
import type Koa from '@koa/router';

const require = createRequire(import.meta.url);

// `import` would read all exports of `node:http`, which loads the whole of `fetch`: 25 ms of every start.
export const http: typeof import('node:http') = require('node:http');
// The ES module of `@koa/router` imports `node:http`.
export const Router: typeof Koa = require('@koa/router');

/** The parser of forms. It is loaded for the first form, so that a server starts sooner. */
export const busboy = (): typeof import('@fastify/busboy').Busboy => require('@fastify/busboy');
