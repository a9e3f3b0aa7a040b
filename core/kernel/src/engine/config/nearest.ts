export { nearest } from '../../contract/nearest.ts';
