/**
 * The compositions of `extends: 'plinth:embedded'` and `extends: 'plinth:cluster'`, and a function that loads a config
 * file. Programs that embed a server use them.
 *
 * @packageDocumentation
 */
export { cluster } from './cluster.ts';
export { embedded } from './embedded.ts';
export { findConfig, type LoadedConfig } from './read-config.ts';
