export { audioEncoder } from './backend.ts';
