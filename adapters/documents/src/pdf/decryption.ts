import { createDecipheriv, createHash } from 'node:crypto';
import { stringOf } from './strings.ts';

/** Bytes of an object, a stream or a string, as they were before the file was encrypted. */
export type Decrypt = (data: Buffer, number: number, generation: number) => Buffer;

/**
 * How a file is decrypted that opens without a password: by the standard security handler with RC4 or with AES of 128 bits (ISO 32000-1, 7.6.3).
 * Undefined for any other.
 */
export function decryptionOf(dictionary: string, trailer: string): Decrypt | undefined {
	const lock = lockOf(dictionary, trailer);
	const key = lock && keyOf(lock);
	if (!key || !isRight(key, lock)) return undefined;
	const { isAes } = lock;
	const suffix = Buffer.from(isAes ? 'sAlT' : '');
	return (data, number, generation) => {
		const object = Buffer.alloc(5);
		object.writeUIntLE(number & 0xffffff, 0, 3);
		object.writeUIntLE(generation & 0xffff, 3, 2);
		const own = md5(key, object, suffix).subarray(0, Math.min(16, key.length + 5));
		return isAes ? aes(own, data) : rc4(own, data);
	};
}

interface Lock {
	readonly revision: number;
	/** Of the key, in bytes. */
	readonly length: number;
	readonly isAes: boolean;
	readonly owner: Buffer;
	readonly user: Buffer;
	readonly permissions: number;
	readonly id: Buffer;
	readonly hasPlainMetadata: boolean;
}

/** What stands for a password of no characters. */
const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

function lockOf(dictionary: string, trailer: string): Lock | undefined {
	const [owner, user] = [stringOf(dictionary, 'O'), stringOf(dictionary, 'U')];
	const [version, revision] = [numberOf(dictionary, 'V') ?? 0, numberOf(dictionary, 'R') ?? 0];
	const [, method = 'V2'] = /\/CFM\s*\/(\w+)/.exec(dictionary) ?? [];
	const [, filter] = /\/StmF\s*\/(\w+)/.exec(dictionary) ?? [];
	const isKnown =
		/\/Filter\s*\/Standard\b/.test(dictionary) &&
		(version === 1 || version === 2 || (version === 4 && filter !== 'Identity')) &&
		(method === 'V2' || method === 'AESV2');
	if (!isKnown || revision < 2 || revision > 4 || !owner || !user) return undefined;
	const bits = version === 1 ? 40 : version === 4 ? 128 : (numberOf(dictionary, 'Length') ?? 40);
	return {
		revision,
		length: Math.min(16, Math.max(5, bits >> 3)),
		isAes: version === 4 && method === 'AESV2',
		owner: owner.subarray(0, 32),
		user,
		permissions: numberOf(dictionary, 'P') ?? 0,
		id: stringOf(trailer, 'ID') ?? Buffer.alloc(0),
		hasPlainMetadata: /\/EncryptMetadata\s+false/.test(dictionary),
	};
}

function numberOf(dictionary: string, key: string): number | undefined {
	const [, digits] = new RegExp(`/${key}\\s+(-?\\d{1,10})\\b`).exec(dictionary) ?? [];
	return digits === undefined ? undefined : Number(digits);
}

/** The key of the file, for a password of no characters. */
function keyOf({ revision, length, owner, permissions, id, hasPlainMetadata }: Lock): Buffer {
	const allowed = Buffer.alloc(4);
	// Written as signed by some programs, as unsigned by others.
	allowed.writeInt32LE(permissions | 0);
	const more = Buffer.alloc(revision >= 4 && hasPlainMetadata ? 4 : 0, 0xff);
	let key = md5(padding, owner, allowed, id, more).subarray(0, length);
	for (let round = 0; revision >= 3 && round < 50; round++) key = md5(key).subarray(0, length);
	return key;
}

/** Whether a key opens the file: otherwise it has a password. */
function isRight(key: Buffer, { revision, user, id }: Lock): boolean {
	if (revision === 2) return rc4(key, padding).equals(user.subarray(0, 32));
	let proof = md5(padding, id);
	for (let round = 0; round < 20; round++) proof = rc4(Buffer.from(key.map((byte) => byte ^ round)), proof);
	return proof.equals(user.subarray(0, 16));
}

function md5(...parts: readonly Buffer[]): Buffer {
	const hash = createHash('md5');
	for (const part of parts) hash.update(part);
	return hash.digest();
}

const blockLength = 16;

/** The first block is not data but where the chain begins; the last byte tells how many were added to fill the last block. */
function aes(key: Buffer, data: Buffer): Buffer {
	const length = data.length - (data.length % blockLength);
	if (length < 2 * blockLength) return Buffer.alloc(0);
	const decipher = createDecipheriv('aes-128-cbc', key, data.subarray(0, blockLength));
	const plain = decipher.setAutoPadding(false).update(data.subarray(blockLength, length));
	const added = plain.at(-1) ?? 0;
	return added > blockLength ? plain : plain.subarray(0, plain.length - added);
}

/** Node's OpenSSL has no RC4 any more. */
function rc4(key: Buffer, data: Buffer): Buffer {
	const state = Uint8Array.from({ length: 256 }, (_, at) => at);
	for (let at = 0, other = 0; at < 256; at++) {
		const byte = state[at] as number;
		other = (other + byte + (key[at % key.length] as number)) & 255;
		state[at] = state[other] as number;
		state[other] = byte;
	}
	const plain = Buffer.allocUnsafe(data.length);
	for (let at = 0, one = 0, other = 0; at < data.length; at++) {
		one = (one + 1) & 255;
		const byte = state[one] as number;
		other = (other + byte) & 255;
		const swapped = state[other] as number;
		state[one] = swapped;
		state[other] = byte;
		plain[at] = (data[at] as number) ^ (state[(byte + swapped) & 255] as number);
	}
	return plain;
}
