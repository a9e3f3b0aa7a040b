export { s3Blobs } from './blobs.ts';
export { s3Errors } from './errors.ts';
