/**
 * The compositions for `extends: 'plinth:embedded'` and `extends: 'plinth:cluster'`, and for embedding.
 *
 * @packageDocumentation
 */
export { cluster } from './cluster.ts';
export { embedded } from './embedded.ts';
