export { sharpImages } from './backend.ts';
