export { imageErrors } from './errors.ts';
export { image } from './plugin.ts';
