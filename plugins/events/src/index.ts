export type { EventsOptions } from './options.ts';
export { events } from './plugin.ts';
