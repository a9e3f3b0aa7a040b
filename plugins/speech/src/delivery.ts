import { Readable } from 'node:stream';
import { modelError, unsupportedValue } from '@plinth/core';
import { awaitFirst, fromModel } from '@plinth/toolkit';
import { type FormatTools, formatsFrom, isSupported, needsNoEncoder, unsupportedFormat } from './formats.ts';
import { type AudioFormat, type EncodedAudio, isSampleRate, type PcmAudio } from './model.ts';
import { toWirePcm, wireSampleRate } from './resample.ts';
import { awaitAudio, noAudio } from './stream.ts';
import { collectWav, wavHeaderBytes } from './wav.ts';

/** Audio in the requested format. */
export interface Delivery {
	readonly mediaType: string;
	readonly body: AsyncIterable<Uint8Array>;
	/** Size in bytes, when known before the response starts. */
	readonly size?: number;
	/** Seconds of audio so far; 0 when the model encodes it. */
	seconds(): number;
}

/** Dependencies of the delivery. */
export interface DeliveryTools extends FormatTools {
	readonly signal: AbortSignal;
}

/**
 * Converts a model's audio to `format`, 24 kHz mono. `pcm` is streamed, `wav` is collected for an exact
 * length, and the other formats are streamed through the encoder. Audio that the model has encoded passes
 * through unchanged. Throws 400 `unsupported_value` when nothing produces the format, and 502 `model_error` for a
 * sample rate outside of the contract, for which the resampler would block the process.
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
	if (!isSampleRate(made.sampleRate)) throw modelError(`The model returned ${made.sampleRate} samples per second.`);
	const formatError = () => unsupportedFormat(format, formatsFrom(['pcm'], encoder), defaultFormat);
	if (!isSupported(format, encoder)) throw formatError();
	const { audio, seconds } = metered(made);
	const wire = {
		...audio,
		sampleRate: wireSampleRate,
		channels: 1,
		body: toWirePcm(audio),
	} as const;
	if (format === 'pcm') return { mediaType: 'audio/pcm', body: wire.body, seconds };
	if (format === 'wav') return { ...(await toWav(wire.body)), seconds };
	if (needsNoEncoder(format) || !encoder) throw formatError();
	// Before encoding, because the header of an encoder would hide empty audio.
	const body = await awaitFirst(wire.body, ({ byteLength }) => byteLength > 0, noAudio);
	const encoded = await awaitAudio(encoder.encode({ ...wire, body }, format, signal), signal);
	if (encoded.format !== format) {
		throw modelError(`The audio encoder made ${encoded.format} instead of ${format}.`);
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

/** Adds a WAV header. It holds the length, so the samples are collected first. */
async function toWav(samples: AsyncIterable<Uint8Array>): Promise<Omit<Delivery, 'seconds'>> {
	const format = { sampleRate: wireSampleRate, channels: 1 } as const;
	const { byteLength, parts } = await collectWav(samples, format);
	if (byteLength === wavHeaderBytes) throw noAudio();
	return { mediaType: 'audio/wav', body: Readable.from(parts), size: byteLength };
}
