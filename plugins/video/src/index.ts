export { videoErrors } from './errors.ts';
export { video } from './plugin.ts';
