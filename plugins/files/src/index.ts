export { fileErrors } from './errors.ts';
export { files } from './plugin.ts';
