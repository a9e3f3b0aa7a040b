export { console } from './plugin.ts';
