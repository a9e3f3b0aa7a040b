export {
	type IssuedKey,
	type KeyInfo,
	type KeyRequest,
	type KeyRing,
	keyRing,
} from './key-ring.ts';
export { apiKeys } from './keys.ts';
