export type * from './model.ts';
export type { SpeechOptions } from './options.ts';
export { speech } from './plugin.ts';
