import { createRequire } from 'node:module';
import type Koa from '@koa/router';

const require = createRequire(import.meta.url);

// An import of `node:http` reads all that it exports, which loads the whole of `fetch`: 25 ms of every start.
export const http: typeof import('node:http') = require('node:http');
// Its module for imports imports `node:http`.
export const Router: typeof Koa = require('@koa/router');
