import { Readable } from 'node:stream';
import { modelError, unsupportedValue } from '@plinth/core';
import { awaitFirst, fromModel } from '@plinth/toolkit';
import { isMakeable, isPlain, unsupportedFormat } from './formats.ts';
import type { AudioEncoder, AudioFormat, EncodedAudio, PcmAudio } from './model.ts';
import { toWirePcm, wireSampleRate } from './resample.ts';
import { noAudio, settledBy } from './stream.ts';
import { collectWav, wavHeaderBytes } from './wav.ts';

/** Audio in the format that the client asked for. */
export interface Delivery {
	readonly mediaType: string;
	readonly body: AsyncIterable<Uint8Array>;
	/** Bytes, where they are known before the answer begins. */
	readonly size?: number;
	/** Seconds of audio that the model has made so far; 0 when it encodes by itself. */
	seconds(): number;
}

/** What a deployment can do with audio. */
export interface DeliveryTools {
	readonly encoder: AudioEncoder | undefined;
	readonly defaultFormat: AudioFormat;
	readonly signal: AbortSignal;
}

/**
 * Brings a model's audio into `format`, 24 kHz mono: `pcm` streams as it is made, `wav` is collected for an exact length, the others go
 * through the encoder as they are made. What the model has encoded itself passes through untouched. Throws 400 `unsupported_value` where
 * nobody makes the format: bytes are never mislabelled.
 */
export async function deliver(
	made: PcmAudio | EncodedAudio,
	format: AudioFormat,
	{ encoder, defaultFormat, signal }: DeliveryTools,
): Promise<Delivery> {
	if (!('sampleRate' in made)) {
		if (made.format !== format) {
			throw unsupportedValue('response_format', `This model makes ${made.format} only.`);
		}
		return { mediaType: made.mediaType, body: made.body, seconds: () => 0 };
	}
	if (!isMakeable(format, encoder)) throw unsupportedFormat(format, encoder, defaultFormat);
	const { audio, seconds } = metered(made);
	const wire = {
		...audio,
		sampleRate: wireSampleRate,
		channels: 1,
		body: toWirePcm(audio),
	} as const;
	if (format === 'pcm') return { mediaType: 'audio/pcm', body: wire.body, seconds };
	if (format === 'wav') return { ...(await toWav(wire.body)), seconds };
	if (isPlain(format) || !encoder) throw unsupportedFormat(format, encoder, defaultFormat);
	// An encoder's header would hide that nothing follows.
	const body = await awaitFirst(wire.body, ({ byteLength }) => byteLength > 0, noAudio);
	const encoded = await settledBy(encoder.encode({ ...wire, body }, format, signal), signal);
	if (encoded.format !== format) {
		throw modelError(`The audio encoder made ${encoded.format} where ${format} was asked for.`);
	}
	return { mediaType: encoded.mediaType, body: fromModel(encoded.body, signal), seconds };
}

function metered(made: PcmAudio): { readonly audio: PcmAudio; seconds(): number } {
	let bytes = 0;
	async function* count(): AsyncGenerator<Uint8Array> {
		for await (const chunk of made.body) {
			bytes += chunk.byteLength;
			yield chunk;
		}
	}
	const bytesPerSecond = made.sampleRate * made.channels * 2;
	return { audio: { ...made, body: count() }, seconds: () => bytes / bytesPerSecond };
}

/** The samples of `pcm` with a header. It holds their length, so nothing can be sent before everything is there. */
async function toWav(samples: AsyncIterable<Uint8Array>): Promise<Omit<Delivery, 'seconds'>> {
	const format = { sampleRate: wireSampleRate, channels: 1 } as const;
	const { byteLength, parts } = await collectWav(samples, format);
	if (byteLength === wavHeaderBytes) throw noAudio();
	return { mediaType: 'audio/wav', body: Readable.from(parts), size: byteLength };
}
