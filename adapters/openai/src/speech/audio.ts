import { type AudioFormat, audioTypeOf, type EncodedAudio, type PcmAudio } from '@plinth/plugin-speech/model';
import { invalidResponse } from '../upstream/failure.ts';
import type { UpstreamResponse } from '../upstream/response.ts';
import { ByteReader } from './byte-reader.ts';
import { readWavHead } from './wav.ts';

/** Maximum bytes of one response. */
const maxBytes = 268_435_456;

/** Bytes that the recognition of a format needs. */
const sniffBytes = 12;

/** The requested formats. */
export interface RequestedFormats {
	/** The format that the client requested. */
	readonly clientFormat: AudioFormat;
	/** The format that was requested from the server. */
	readonly format: AudioFormat;
	/** Samples per second of PCM without a header. */
	readonly sampleRate: number;
}

/**
 * Recognises audio by its bytes, not by its media type. WAV becomes PCM, unless the client requested WAV and the header
 * states its length.
 */
export async function audioOf(answer: UpstreamResponse, requested: RequestedFormats): Promise<PcmAudio | EncodedAudio> {
	const reader = new ByteReader(answer.chunks(maxBytes));
	try {
		const head = await reader.peek(sniffBytes);
		const type = audioTypeOf(head, { mayBePcm: requested.format === 'pcm' });
		if (type?.format === 'wav') return await fromWav(reader, answer, requested);
		if (type) return { ...type, body: reader.rest() };
		if (requested.format !== 'pcm' || head.length === 0) {
			throw invalidResponse(answer.where, `sent something else than ${requested.format}`);
		}
		const statedRate = /\brate=(\d{4,6})\b/.exec(answer.headers['content-type'] ?? '')?.[1];
		return samples(reader.rest(), statedRate ? Number(statedRate) : requested.sampleRate, 1);
	} catch (error) {
		await reader.close();
		throw error;
	}
}

async function fromWav(
	reader: ByteReader,
	{ where }: UpstreamResponse,
	{ clientFormat }: RequestedFormats,
): Promise<PcmAudio | EncodedAudio> {
	const head = await readWavHead(reader);
	if (!head) throw invalidResponse(where, 'sent a damaged WAV file');
	const { bytes, isPlain, dataBytes, sampleRate, channels } = head;
	const canKeepWav = clientFormat === 'wav' && dataBytes !== undefined;
	if (canKeepWav || !isPlain) return { format: 'wav', mediaType: 'audio/wav', body: prepend(bytes, reader.rest()) };
	return samples(reader.rest(dataBytes), sampleRate, channels === 2 ? 2 : 1);
}

function samples(body: AsyncIterable<Uint8Array>, sampleRate: number, channels: 1 | 2): PcmAudio {
	return { mediaType: 'audio/pcm', sampleRate, channels, body };
}

async function* prepend(head: Buffer, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	yield head;
	yield* rest;
}
