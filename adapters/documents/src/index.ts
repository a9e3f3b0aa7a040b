export { documentReader } from './backend.ts';
