/** @module The composition that runs offline, for `extends: 'plinth:embedded'` and for embedding. */
export { embedded } from './embedded.ts';
