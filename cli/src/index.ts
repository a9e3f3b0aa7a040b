/**
 * The composition that runs offline, for `extends: 'plinth:embedded'` and for embedding.
 *
 * @packageDocumentation
 */
export { embedded } from './embedded.ts';
