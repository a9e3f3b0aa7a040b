import { describe, expect, it } from 'vitest';
import { collectWav, wavHeader } from '../src/wav.ts';
import { cut, from } from './bytes.ts';

describe('wavHeader', () => {
	it('is the 44 bytes of a 16-bit PCM file', () => {
		const header = wavHeader({ sampleRate: 24_000, channels: 1 }, 48_000);
		expect(Buffer.from(header).toString('hex')).toBe(
			'52494646a4bb000057415645666d742010000000010001' + '00c05d000080bb0000020010006461746180bb0000',
		);
	});

	it('counts bytes per frame and second for two channels', () => {
		const view = new DataView(wavHeader({ sampleRate: 48_000, channels: 2 }, 0).buffer);
		expect(view.getUint16(22, true)).toBe(2);
		expect(view.getUint32(28, true)).toBe(192_000);
		expect(view.getUint16(32, true)).toBe(4);
	});

	it.each([-1, 1.5, 2 ** 32])('rejects %s bytes of samples', (dataBytes) => {
		expect(() => wavHeader({ sampleRate: 24_000, channels: 1 }, dataBytes)).toThrow(RangeError);
	});
});

describe('collectWav', () => {
	it('has exact lengths', async () => {
		const samples = Uint8Array.from({ length: 1_000 }, (_, index) => index);
		const file = await collectWav(from(cut(samples, [7, 64])), { sampleRate: 24_000, channels: 1 });
		const bytes = Buffer.concat(file.parts);
		expect(file.byteLength).toBe(1_044);
		expect(bytes.byteLength).toBe(1_044);
		expect(bytes.readUInt32LE(4)).toBe(1_036);
		expect(bytes.readUInt32LE(40)).toBe(1_000);
		expect(bytes.subarray(44).equals(samples)).toBe(true);
	});

	it('returns a valid empty file for an empty stream', async () => {
		const file = await collectWav(from([]), { sampleRate: 24_000, channels: 1 });
		expect(Buffer.concat(file.parts).readUInt32LE(40)).toBe(0);
	});

	it('copies each chunk', async () => {
		const reused = new Uint8Array(2);
		async function* body() {
			for (const value of [1, 2]) yield reused.fill(value);
		}
		const file = await collectWav(body(), { sampleRate: 8_000, channels: 1 });
		expect([...Buffer.concat(file.parts).subarray(44)]).toEqual([1, 1, 2, 2]);
	});

	it('stops an endless stream at its limit and closes it', async () => {
		let closed = false;
		async function* endless() {
			try {
				for (;;) yield new Uint8Array(100);
			} finally {
				closed = true;
			}
		}
		const file = collectWav(endless(), { sampleRate: 24_000, channels: 1 }, 1_000);
		await expect(file).rejects.toMatchObject({ code: 'E_MODEL_FAILED' });
		expect(closed).toBe(true);
	});

	it('fails with the error of its source', async () => {
		const failure = new Error('The model stopped.');
		async function* broken() {
			yield new Uint8Array(2);
			throw failure;
		}
		await expect(collectWav(broken(), { sampleRate: 24_000, channels: 1 })).rejects.toBe(failure);
	});
});
