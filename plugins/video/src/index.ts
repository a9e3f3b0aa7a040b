export { videoErrors } from './errors.ts';
export type * from './model.ts';
export type { VideoOptions } from './options.ts';
export { video } from './plugin.ts';
export type { ProgressScale, Video } from './wire.ts';
