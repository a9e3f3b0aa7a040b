import type { Answer, Reply } from './reply.ts';
import type { Call } from './route.ts';

/**
 * Wraps every route. It runs after authentication and admission, and before the body is read. `next()` resolves with
 * the answer of what is inside, or rejects with its error; it may be called once. A middleware returns that answer,
 * another one, or throws a coded error.
 */
export type Middleware = (call: Call, next: () => Promise<Answer>) => Promise<Reply> | Reply;
