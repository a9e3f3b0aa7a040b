export { imageErrors } from './errors.ts';
export type * from './model.ts';
export type { ImageOptions } from './options.ts';
export { image } from './plugin.ts';
