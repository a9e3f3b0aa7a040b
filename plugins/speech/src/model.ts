import {
	defineModelKind,
	defineService,
	type ForwardRequest,
	type Logger,
	type RawBody,
	type Unloadable,
} from '@plinth/core';

/** The request of a client, in domain terms. */
export interface SpeechRequest {
	/** The text to speak, 1 to 4,096 Unicode code points. */
	readonly input: string;
	/** The voice's name or id, as the client sent it. */
	readonly voice: string;
	/** The client sent `voice` as an object with an id: a custom voice of OpenAI's API. */
	readonly isCustomVoice?: boolean;
	/** Tempo relative to the voice's own, 0.25 to 4. */
	readonly speed: number;
	/** How to speak, in words; at most 4,096 code points. */
	readonly instructions?: string;
	/** The format that the client will receive. A model may return it, or PCM, which the plugin converts. */
	readonly format: AudioFormat;
}

/** The context of one request. */
export interface SpeechRun {
	/** Aborts when the client disconnects, the model's time limit expires or the server stops. */
	readonly signal: AbortSignal;
	readonly log: Logger;
}

/** Signed 16-bit little-endian samples, interleaved when there are two channels. Chunks may be cut anywhere. */
export interface PcmAudio {
	readonly mediaType: 'audio/pcm';
	/** Samples per second and channel, a whole number from 1,000 to 768,000. */
	readonly sampleRate: number;
	readonly channels: 1 | 2;
	readonly body: AsyncIterable<Uint8Array>;
	/** Parts of the request that the model could not honour, one sentence each. */
	readonly warnings?: readonly string[];
}

/** Whether a number is a sample rate of {@link PcmAudio}. */
export function isSampleRate(rate: number): boolean {
	return Number.isInteger(rate) && rate >= 1_000 && rate <= 768_000;
}

/** Samples of one channel, in chunks of whole samples. */
export interface MonoAudio extends PcmAudio {
	readonly channels: 1;
}

/** Audio that the model has already encoded. The media type matches the bytes. */
export interface EncodedAudio {
	readonly mediaType: string;
	readonly format: EncodedAudioFormat | 'wav';
	readonly body: AsyncIterable<Uint8Array>;
	readonly warnings?: readonly string[];
}

/** What a model can do. */
export interface SpeechAbilities {
	/** ISO 639-1 codes of the languages that it speaks. */
	readonly languages?: readonly string[] | undefined;
	/**
	 * The formats that it makes; others are refused. The plugin converts `pcm` to every format that this server can
	 * encode. Absent: not known.
	 */
	readonly formats?: readonly AudioFormat[] | undefined;
}

/**
 * A model that speaks.
 *
 * `speak` settles once the model knows that it can do the work: refuse with `invalidValue(param, message)` before the
 * first byte, not in the middle of the stream.
 */
export interface SpeechModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: SpeechAbilities;
	speak(request: SpeechRequest, run: SpeechRun): Promise<PcmAudio | EncodedAudio>;
	/** The voices that it has. Absent: any name is passed to the model. */
	voices?(): readonly string[];
	/**
	 * For a model whose upstream speaks this wire format: the request that passes this speech through, so that the
	 * response reaches the client byte for byte. Undefined: this body must be translated.
	 */
	forward?(raw: RawBody): ForwardRequest | undefined;
}

/** The family of speech models. */
export const speechModels = defineModelKind<SpeechModel>(
	'speech',
	{
		apiVersion: 1,
		functions: { speak: 'required', voices: 'optional', forward: 'optional', unload: 'optional' },
		abilities: { languages: 'array', formats: 'array' },
	},
	(model) => {
		const { languages } = model.abilities ?? {};
		const voices = model.voices?.();
		return { ...(voices ? { voices: [...voices] } : {}), ...(languages ? { languages: [...languages] } : {}) };
	},
);

/** Compressed audio formats of the wire. `wav` and `pcm` need no encoder. */
export type EncodedAudioFormat = 'mp3' | 'opus' | 'aac' | 'flac';

/** Every `response_format` of the wire. */
export type AudioFormat = 'wav' | 'pcm' | EncodedAudioFormat;

/**
 * Compresses PCM as the model produces it. Optional: without one, compressed formats get 400 `unsupported_value`.
 *
 * The plugin first converts the model's PCM to 24,000 Hz mono, as it does for `wav` and `pcm`. Encoders may accept
 * other rates too.
 */
export interface AudioEncoder {
	/** The formats it can make. */
	readonly formats: readonly EncodedAudioFormat[];
	/**
	 * Encodes to `format` as a stream. The media type matches it: `audio/mpeg`, `audio/ogg`, `audio/aac` (ADTS),
	 * `audio/flac`. Samples are read only when the reader requests bytes, so that no samples are buffered. Once the
	 * signal aborts, reading rejects with its reason. After an abort, and when the reader stops early, encoding stops
	 * and `audio.body` is closed.
	 */
	encode(audio: MonoAudio, format: EncodedAudioFormat, signal: AbortSignal): Promise<EncodedAudio>;
}

/** The service under which an {@link AudioEncoder} is provided. */
export const audioEncoder = defineService<AudioEncoder>('speech.audioEncoder');

/** The type of encoded audio. */
export type AudioType = Pick<EncodedAudio, 'format' | 'mediaType'>;

type Signatures = readonly (AudioType & { readonly head: RegExp })[];

const signatures: Signatures = [
	{ format: 'wav', mediaType: 'audio/wav', head: /^RIFF.{4}WAVE/s },
	{ format: 'opus', mediaType: 'audio/ogg', head: /^OggS/ },
	{ format: 'flac', mediaType: 'audio/flac', head: /^fLaC/ },
	{ format: 'mp3', mediaType: 'audio/mpeg', head: /^ID3/ },
];

/** Frames begin with 11 or 12 set bits, then, in AAC, a layer of 0 (ISO/IEC 13818-7 §6.2). */
const frames: Signatures = [
	{ format: 'aac', mediaType: 'audio/aac', head: /^\xff[\xf0\xf1\xf8\xf9]/ },
	{ format: 'mp3', mediaType: 'audio/mpeg', head: /^\xff[\xe0-\xff]/ },
];

/**
 * The type of encoded audio by its first 12 bytes; undefined for other bytes. `mayBePcm`: do not look for frames of
 * MP3 and AAC, because samples may begin with the same bits.
 */
export function audioTypeOf(bytes: Uint8Array, { mayBePcm = false } = {}): AudioType | undefined {
	const start = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
	const found = [...signatures, ...(mayBePcm ? [] : frames)].find(({ head }) => head.test(start));
	return found && { format: found.format, mediaType: found.mediaType };
}
