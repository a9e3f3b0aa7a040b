export { speech } from './plugin.ts';
