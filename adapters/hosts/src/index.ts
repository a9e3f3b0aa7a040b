export { hostErrors } from './errors.ts';
export { fromHost, type Identify } from './from-host.ts';
export type { MountOptions } from './mounting.ts';
