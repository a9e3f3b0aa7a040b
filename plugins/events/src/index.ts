export { events } from './plugin.ts';
