export { documentReader } from './backend.ts';
export { CachedReader } from './cache/cached-reader.ts';
