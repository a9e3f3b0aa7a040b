export { chat } from './plugin.ts';
