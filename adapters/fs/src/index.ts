export { fsBlobs } from './blobs.ts';
