export { fileErrors } from './errors.ts';
export type { FileOptions } from './options.ts';
export { files } from './plugin.ts';
export type { FilePurpose } from './record.ts';
export type { WireFile } from './wire.ts';
