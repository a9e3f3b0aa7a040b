import { defineModelKind, defineService, type Logger, type Unloadable } from '@plinth/core';

/** The containers that the routes accept, detected from the first bytes of a file. */
export type AudioContainer = 'wav' | 'mp3' | 'mp4' | 'ogg' | 'flac' | 'webm';

/** Audio as the client sent it. The plugin has checked its size and its first bytes. */
export interface AudioFile {
	readonly container: AudioContainer;
	/** The media type of the container: `audio/wav`, `audio/mpeg`. */
	readonly mediaType: string;
	/** A file name whose extension fits the container. */
	readonly name: string;
	/** In bytes. */
	readonly size: number;
	/** A temporary file with the bytes, for programs and libraries that read files themselves. */
	readonly path: string;
	/** The bytes of the file. Each call reads from its start. */
	open(): AsyncIterable<Uint8Array>;
	/**
	 * The samples of one channel at `sampleRate` per second, -1 to 1, in chunks. Channels are averaged. Throws a 400 error
	 * that names the file when it is damaged or too long, or when no decoder of this server reads it.
	 */
	samples(sampleRate: number): AsyncIterable<Float32Array>;
}

/** The request of a client, in domain terms. */
export interface TranscriptionRequest {
	readonly audio: AudioFile;
	/** `translate`: translates any spoken language into English. Only for models with the ability. */
	readonly task: 'transcribe' | 'translate';
	/** The spoken language, ISO 639-1 in lower case; absent: the model detects it. */
	readonly language?: string | undefined;
	/** Preceding text, or words that the model should expect. */
	readonly prompt?: string | undefined;
	/** 0 to 1; absent: the model decides. */
	readonly temperature?: number | undefined;
	/** The timestamps that the client requests beside the text. */
	readonly timestamps: readonly ('segment' | 'word')[];
}

/** The context of one request. */
export interface TranscriptionRun {
	/** Aborts when the client disconnects, the model's time limit expires or the server stops. */
	readonly signal: AbortSignal;
	readonly log: Logger;
	/** Reports final text, in order. Without a streaming client it has no effect. */
	delta(text: string): void;
}

/** A stretch of speech. Times are seconds from the start of the audio. */
export interface TranscriptionSegment {
	readonly start: number;
	readonly end: number;
	readonly text: string;
	/** Mean log probability of its tokens, if the model knows it. */
	readonly averageLogprob?: number | undefined;
	/** Probability that the segment has no speech, 0 to 1, if the model knows it. */
	readonly noSpeechProbability?: number | undefined;
}

/** A word. Times are seconds from the start of the audio. */
export interface TranscriptionWord {
	readonly start: number;
	readonly end: number;
	readonly word: string;
}

/** What was said. */
export interface Transcription {
	readonly text: string;
	/** ISO 639-1 in lower case, if the model knows it. */
	readonly language?: string | undefined;
	/** Length of the audio in seconds; absent: the plugin measures it if it can. */
	readonly seconds?: number | undefined;
	readonly segments?: readonly TranscriptionSegment[] | undefined;
	readonly words?: readonly TranscriptionWord[] | undefined;
	/** The token counts of the model. Absent: the response counts seconds. */
	readonly usage?: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
	/** Parts of the request that the model could not honour, one sentence each. */
	readonly warnings?: readonly string[] | undefined;
}

/** The abilities of a model. The plugin refuses requests that exceed them. */
export interface TranscriptionAbilities {
	/** ISO 639-1 codes of the languages that it understands; absent: any. */
	readonly languages?: readonly string[] | undefined;
	/** Whether it translates into English. False by default. */
	readonly translate?: boolean;
	/** Whether it returns the times of segments. False by default. */
	readonly segments?: boolean;
	/** Whether it returns the times of words. False by default. */
	readonly words?: boolean;
}

/**
 * A model that transcribes speech. It refuses a request with `invalidValue(param, message)`. The joined texts of
 * `run.delta` are a prefix of the result's text.
 */
export interface TranscriptionModel extends Unloadable {
	readonly apiVersion: 1;
	readonly abilities?: TranscriptionAbilities;
	transcribe(request: TranscriptionRequest, run: TranscriptionRun): Promise<Transcription>;
}

/** The family of transcription models. */
export const transcriptionModels = defineModelKind<TranscriptionModel>(
	'transcription',
	{
		apiVersion: 1,
		functions: { transcribe: 'required', unload: 'optional' },
		abilities: { languages: 'array', translate: 'boolean', segments: 'boolean', words: 'boolean' },
	},
	({ abilities: { languages, translate = false, segments = false, words = false } = {} }) => ({
		...(languages ? { languages: [...languages] } : {}),
		translate,
		segments,
		words,
	}),
);

/** Samples of one channel, -1 to 1, in chunks. */
export interface DecodedAudio {
	readonly sampleRate: number;
	readonly samples: AsyncIterable<Float32Array>;
}

/** Turns audio files into samples. Without one, models get samples from uncompressed WAV only. */
export interface AudioDecoder {
	/** The containers that it reads. For `wav` it is called only for compressed samples. */
	readonly containers: readonly AudioContainer[];
	/**
	 * Decodes at `sampleRate` if that has no extra cost, else at the rate of the file; channels are averaged. It stops
	 * when the reader stops or the signal aborts. Throws `invalidValue('file', …)` for a file that it cannot decode.
	 */
	decode(file: DecoderInput, sampleRate: number, signal: AbortSignal): Promise<DecodedAudio>;
}

/** The input of a decoder. */
export type DecoderInput = Pick<AudioFile, 'container' | 'path'>;

/** The service of an {@link AudioDecoder}. */
export const audioDecoder = defineService<AudioDecoder>('transcription.audioDecoder');
