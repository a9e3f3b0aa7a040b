/** The functions that views use to call the server. */
export { ApiError, isAbort, toApiError } from './api/error.ts';
export { connection, followJobs, isGapless } from './api/feed.ts';
export { sendForm } from './api/form.ts';
export type { ApiDocument, Schema, Schemas } from './api/openapi.ts';
export { addressOf, deleteJson, getBlob, getJson, postJson, send } from './api/request.ts';
export { streamEvents } from './api/stream.ts';
export { useAttempt } from './api/use-attempt.ts';
export { useBlob, useBlobUrl } from './api/use-blob.ts';
export { type Loaded, type Pages, useLoaded, usePages } from './api/use-loaded.ts';
