import { createCipheriv, createHash } from 'node:crypto';

/** The cipher of a generated PDF. */
export type Cipher = 'rc4-40' | 'rc4-128' | 'aes-128' | 'aes-256';

/** The encryption of a PDF. */
export interface Lock {
	/** Entries of the trailer. */
	readonly entries: string;
	/** Encrypts the bytes of an object. */
	encrypted(object: number, data: Buffer): Buffer;
}

interface Locked {
	readonly user?: string | undefined;
	readonly owner?: string | undefined;
	readonly cipher?: Cipher | undefined;
}

const forms = {
	'rc4-40': { length: 5, rounds: 0, entries: '/V 1 /R 2' },
	'rc4-128': { length: 16, rounds: 50, entries: '/V 2 /R 3 /Length 128' },
	'aes-128': {
		length: 16,
		rounds: 50,
		entries: '/V 4 /R 4 /StmF /StdCF /StrF /StdCF /CF << /StdCF << /CFM /AESV2 /Length 16 >> >>',
	},
} as const;

const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

/** The standard security handler (ISO 32000-1, 7.6.3). */
export function lockOf({ user = '', owner = user, cipher = 'rc4-40' }: Locked): Lock {
	if (cipher === 'aes-256') return longLockOf(user, owner);
	const { length, rounds, entries } = forms[cipher];
	const id = Buffer.alloc(16, 7);
	const padded = (text: string) => Buffer.concat([Buffer.from(text), padding]).subarray(0, 32);
	const hashed = (...parts: readonly Buffer[]) => {
		let key = md5(...parts).subarray(0, length);
		for (let round = 0; round < rounds; round++) key = md5(key).subarray(0, length);
		return key;
	};
	const chained = (key: Buffer, data: Buffer) =>
		Array.from({ length: rounds === 0 ? 1 : 20 }, (_, round) => Buffer.from(key.map((byte) => byte ^ round))).reduce(
			(sum, one) => rc4(one, sum),
			data,
		);
	const ownerEntry = chained(hashed(padded(owner)), padded(user));
	const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
	const key = hashed(padded(user), ownerEntry, permissions, id);
	const proof = rounds === 0 ? padding : md5(padding, id);
	const userEntry = Buffer.concat([chained(key, proof), Buffer.alloc(32)]).subarray(0, 32);
	const texts = `/O <${hex(ownerEntry)}> /U <${hex(userEntry)}> /P -4`;
	return {
		entries: `/Encrypt << /Filter /Standard ${entries} ${texts} >> /ID [<${hex(id)}> <${hex(id)}>]`,
		encrypted(number: number, data: Buffer): Buffer {
			const place = Buffer.from([number & 255, number >> 8, 0, 0, 0]);
			const own = (suffix: string) => md5(key, place, Buffer.from(suffix)).subarray(0, Math.min(16, length + 5));
			return cipher === 'aes-128' ? aes(own('sAlT'), data) : rc4(own(''), data);
		},
	};
}

/** Revision 5 (Adobe Supplement to ISO 32000, extension level 3). */
function longLockOf(user: string, owner: string): Lock {
	const [key, proving, opening] = [Buffer.alloc(32, 5), Buffer.alloc(8, 1), Buffer.alloc(8, 2)];
	const block = (by: Buffer, data: Buffer) => createCipheriv('aes-256-ecb', by, null).update(data);
	const entriesFor = (name: string, password: string, more: Buffer) => {
		const hashed = (salt: Buffer) => sha256(Buffer.from(password), salt, more);
		const entry = Buffer.concat([hashed(proving), proving, opening]);
		const sealed = createCipheriv('aes-256-cbc', hashed(opening), Buffer.alloc(16)).update(key);
		return { entry, text: `/${name} <${hex(entry)}> /${name}E <${hex(sealed)}>` };
	};
	const users = entriesFor('U', user, Buffer.alloc(0));
	const owners = entriesFor('O', owner, users.entry);
	const permissions = Buffer.from('fcffffffffffffff5461646200000000', 'hex');
	const perms = `/P -4 /Perms <${hex(block(key, permissions))}>`;
	const form = '/V 5 /R 5 /Length 256 /StmF /StdCF /StrF /StdCF /CF << /StdCF << /CFM /AESV3 >> >>';
	return {
		entries: `/Encrypt << /Filter /Standard ${form} ${users.text} ${owners.text} ${perms} >>`,
		encrypted: (_, data) => aes(key, data),
	};
}

/** The first block is prepended to the data. */
function aes(key: Buffer, data: Buffer): Buffer {
	const start = Buffer.alloc(16, 3);
	const encrypting = createCipheriv(`aes-${key.length * 8}-cbc`, key, start);
	return Buffer.concat([start, encrypting.update(data), encrypting.final()]);
}

function sha256(...parts: readonly Buffer[]): Buffer {
	return createHash('sha256').update(Buffer.concat(parts)).digest();
}

function md5(...parts: readonly Buffer[]): Buffer {
	return createHash('md5').update(Buffer.concat(parts)).digest();
}

function hex(bytes: Buffer): string {
	return bytes.toString('hex');
}

function rc4(key: Buffer, data: Buffer): Buffer {
	const state = Uint8Array.from({ length: 256 }, (_, at) => at);
	const swap = (a: number, b: number) => {
		[state[a], state[b]] = [state[b] as number, state[a] as number];
	};
	let j = 0;
	for (let i = 0; i < 256; i++) {
		j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255;
		swap(i, j);
	}
	let i = 0;
	j = 0;
	return Buffer.from(
		data.map((byte) => {
			i = (i + 1) & 255;
			j = (j + (state[i] as number)) & 255;
			swap(i, j);
			return byte ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number);
		}),
	);
}
