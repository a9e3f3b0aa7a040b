export type * from './model.ts';
export { chat } from './plugin.ts';
