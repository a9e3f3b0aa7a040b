import { errorOf, jsonOf } from '@plinth/testing';
import { withCleanup } from '@plinth/toolkit';
import { describe, expect, it } from 'vitest';
import { storedFiles } from '../../../test/support/stored-files.ts';
import { resampled } from '../src/audio/resample.ts';
import type { AudioDecoder, AudioFile, TranscriptionModel } from '../src/model.ts';
import { counting, harness, samplesOf, type WavParts, wav } from './harness.ts';

/** The samples that a model reads from a file. */
async function heardOf(file: Uint8Array, rate = 16_000) {
	let samples: number[] = [];
	const transcribe: TranscriptionModel['transcribe'] = async ({ audio }) => {
		samples = await samplesOf(audio, rate);
		return { text: 'x' };
	};
	const h = await harness({ transcribe });
	return { answer: await jsonOf<object>(await h.hear({ file })), samples };
}

/** Three frames with the same value in each channel, and silence in the second channel. */
function frames(bits: number, isFloat: boolean, channels: number): Buffer {
	const bytes = bits / 8;
	const data = Buffer.alloc(3 * channels * bytes);
	for (const [index, value] of [0.5, -0.25, 0].entries()) {
		const at = index * channels * bytes;
		if (isFloat) data[bits === 32 ? 'writeFloatLE' : 'writeDoubleLE'](value, at);
		else if (bits === 8) data.writeUInt8(value * 128 + 128, at);
		else data.writeIntLE(value * 2 ** (bits - 1), at, bytes);
		if (bits === 8) for (let channel = 1; channel < channels; channel++) data.writeUInt8(128, at + channel);
	}
	return data;
}

describe('the samples of a WAV file', () => {
	it.each([8, 16, 24, 32])('may have %i bits', async (bits) => {
		const { samples } = await heardOf(wav({ bits, data: frames(bits, false, 1) }));
		expect(samples).toEqual([0.5, -0.25, 0]);
	});

	it.each([32, 64])('may be floats of %i bits', async (bits) => {
		const { samples } = await heardOf(wav({ code: 3, bits, data: frames(bits, true, 1) }));
		expect(samples).toEqual([0.5, -0.25, 0]);
	});

	it.each([2, 3, 8])('are averaged over %i channels', async (channels) => {
		const { samples } = await heardOf(wav({ channels, bits: 24, data: frames(24, false, channels) }));
		expect(samples.map((value) => value * channels)).toEqual([0.5, -0.25, 0].map((v) => expect.closeTo(v, 6)));
	});

	it('are clamped to -1 and 1', async () => {
		const data = new Uint8Array(Float32Array.of(9, -9, Number.NaN, Number.POSITIVE_INFINITY).buffer);
		expect((await heardOf(wav({ code: 3, bits: 32, data }))).samples).toEqual([1, -1, 0, 1]);
	});

	it('may follow other chunks, and extend to the end of the file when the header has no length', async () => {
		const before = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
		const parts: WavParts = { before, stated: 0xffff_ffff, data: frames(16, false, 1) };
		expect((await heardOf(wav(parts))).samples).toEqual([0.5, -0.25, 0]);
	});

	it('are the same for any chunking', async () => {
		const data = Buffer.from(Int16Array.from({ length: 200_000 }, (_, index) => index % 1_000).buffer);
		const { samples, answer } = await heardOf(wav({ channels: 2, data }), 16_000);
		expect(samples).toHaveLength(100_000);
		expect(samples.every((value, index) => value === ((((2 * index) % 1_000) + 0.5) as number) / 32_768)).toBe(true);
		expect(answer).toMatchObject({ usage: { type: 'duration', seconds: 7 } });
	});
});

describe('another sample rate', () => {
	const tone = (hz: number, rate: number, seconds = 1) =>
		Float32Array.from({ length: rate * seconds }, (_, index) => Math.sin((2 * Math.PI * hz * index) / rate) / 2);

	async function convert(samples: Float32Array, from: number, to: number, piece = samples.length) {
		async function* pieces() {
			for (let at = 0; at < samples.length; at += piece) yield samples.subarray(at, at + piece);
		}
		return samplesOf({ samples: () => resampled({ sampleRate: from, samples: pieces() }, to) }, to);
	}

	/** The largest difference from a tone, without the ends. */
	const difference = (samples: number[], hz: number, rate: number) => {
		const expected = tone(hz, rate);
		return Math.max(...samples.slice(200, -200).map((value, index) => Math.abs(value - (expected[index + 200] ?? 9))));
	};

	it.each([
		[8_000, 16_000],
		[11_025, 16_000],
		[22_050, 16_000],
		[44_100, 16_000],
		[48_000, 16_000],
		[16_000, 24_000],
		[192_000, 8_000],
	])('keeps a tone of 440 Hz from %i to %i samples per second', async (from, to) => {
		const samples = await convert(tone(440, from), from, to);
		expect(samples).toHaveLength(to);
		expect(difference(samples, 440, to)).toBeLessThan(0.002);
	});

	it('removes frequencies above the lower rate', async () => {
		const samples = await convert(tone(12_000, 48_000), 48_000, 16_000);
		expect(Math.max(...samples.slice(200, -200).map(Math.abs))).toBeLessThan(0.002);
	});

	it('does not depend on the chunking', async () => {
		const whole = await convert(tone(1_000, 44_100), 44_100, 16_000);
		expect(await convert(tone(1_000, 44_100), 44_100, 16_000, 7)).toEqual(whole);
		expect(await convert(tone(1_000, 44_100), 44_100, 16_000, 4_001)).toEqual(whole);
	});

	it('returns as many samples as the duration has, also for a single sample', async () => {
		expect(await convert(Float32Array.of(1), 48_000, 16_000)).toHaveLength(1);
		expect(await convert(new Float32Array(44_101), 44_100, 16_000)).toHaveLength(16_001);
		expect(await convert(new Float32Array(0), 44_100, 16_000)).toEqual([]);
	});
});

const flac = Buffer.from('fLaC and more');

/** A decoder that returns three seconds of silence at 8 kHz for FLAC. */
function decoder(part: Partial<AudioDecoder> = {}): AudioDecoder {
	async function* silence() {
		yield new Float32Array(24_000);
	}
	return {
		containers: ['flac'],
		decode: async () => ({ sampleRate: 8_000, samples: silence() }),
		...part,
	};
}

describe('other containers', () => {
	it.each([0, 0.01, 999, 1e9, Number.NaN])(
		'are rejected when they declare %d samples per second',
		async (sampleRate) => {
			async function* silence() {
				for (;;) yield new Float32Array(16_384);
			}
			let isClosed = false;
			const transcribe: TranscriptionModel['transcribe'] = async ({ audio }) => {
				await samplesOf(audio, 16_000);
				return { text: 'x' };
			};
			const samples = withCleanup(silence(), () => {
				isClosed = true;
			});
			const h = await harness({ transcribe, decoder: decoder({ decode: async () => ({ sampleRate, samples }) }) });
			expect(await errorOf(await h.hear({ file: flac }))).toMatchObject({ status: 400, param: 'file' });
			expect(isClosed).toBe(true);
		},
	);

	it.each([
		['mp3', 'ID3 and more', 'audio/mpeg'],
		['mp3', '\xff\xfb\x90\x00', 'audio/mpeg'],
		['mp4', '\0\0\0\x20ftypM4A ', 'audio/mp4'],
		['ogg', 'OggS and more', 'audio/ogg'],
		['flac', 'fLaC and more', 'audio/flac'],
		['webm', '\x1aE\xdf\xa3 and more', 'audio/webm'],
	])('reach the model unchanged: %s %j', async (container, bytes, mediaType) => {
		let seen: Partial<AudioFile> = {};
		let sent = '';
		const h = await harness({
			transcribe: async ({ audio }) => {
				seen = audio;
				for await (const chunk of audio.open()) sent += Buffer.from(chunk).toString('latin1');
				return { text: 'x' };
			},
		});
		expect(await jsonOf(await h.hear({ file: Buffer.from(bytes, 'latin1') }))).toEqual({ text: 'x' });
		expect(seen).toMatchObject({ container, mediaType, name: `audio.${container}` });
		expect(sent).toBe(bytes);
	});

	it('are decoded when the server has a decoder, and their duration is measured', async () => {
		const h = await harness({ decoder: decoder(), transcribe: counting() });
		const usage = { type: 'duration', seconds: 3 };
		expect(await jsonOf(await h.hear({ file: flac }))).toEqual({ text: '48000', usage });
	});

	it('are rejected for a model that needs samples when there is no decoder', async () => {
		const backends = { files: storedFiles({ music: flac }) };
		const h = await harness({ decoder: decoder({ containers: ['mp3'] }), transcribe: counting(), backends });
		const failure = await errorOf(await h.hear({ file: flac }));
		expect(failure).toMatchObject({ status: 400, code: 'unsupported_value', param: 'file' });
		expect(failure.message).toContain('audioDecoder of @plinth/audio');
		expect(await errorOf(await h.hear({ file_id: 'music' }))).toMatchObject({ param: 'file_id' });
	});

	it('are decoded when they are WAV with compressed samples', async () => {
		const alaw = wav({ code: 6, bits: 8 });
		const able = await harness({ decoder: decoder({ containers: ['wav'] }), transcribe: counting() });
		expect(await jsonOf(await able.hear({ file: alaw }))).toMatchObject({ text: '48000' });
		const unable = await harness({ decoder: decoder(), transcribe: counting() });
		expect(await errorOf(await unable.hear({ file: alaw }))).toMatchObject({ status: 400, param: 'file' });
	});

	it('are decoded up to the maximum duration', async () => {
		const h = await harness({ decoder: decoder(), transcribe: counting(), options: { maxSeconds: 2.5 } });
		const failure = await errorOf(await h.hear({ file: flac }));
		expect(failure).toMatchObject({ status: 400, code: 'invalid_value', param: 'file' });
		expect(failure.message).toContain('2.5 seconds');
	});
});
