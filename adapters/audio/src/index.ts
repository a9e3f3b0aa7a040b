export { audioDecoder, audioEncoder } from './backend.ts';
