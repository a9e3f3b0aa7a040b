import assert from 'node:assert/strict';
import { assertClientError, type ConformanceCase, type Subject, silentLogger } from '@plinth/testing';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest } from '../model.ts';
import { checkBytes, checkForm } from './form.ts';

/** A new model, closed after the case. */
export interface SpeechModelSubject extends Subject {
	readonly model: SpeechModel;
}

/** How to create the model under test, and what it guarantees beyond the contract. */
export interface SpeechModelSuiteOptions {
	create(): Promise<SpeechModelSubject>;
	readonly supports?: {
		/** Whether equal requests get equal bytes. */
		readonly deterministic?: boolean;
		/** Whether it follows the requested speed, and returns samples when `pcm` is requested. */
		readonly speed?: boolean;
	};
	/** The text, for models that do not speak English: three sentences. */
	readonly input?: string;
	/** A voice of the model; by default the first of its list, or `alloy`. */
	readonly voice?: string;
}

/** The check of a case. */
export type Check = (model: SpeechModel, caller: Caller) => Promise<void>;

/** Creates a case with a new model, which is always closed. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** The reason of aborts. */
export const reason = new Error('The client disconnected.');

/** The audio of a completed call. */
export interface Spoken {
	readonly made: PcmAudio | EncodedAudio;
	readonly bytes: Buffer;
	/** Duration of samples in seconds; 0 for encoded audio. */
	readonly seconds: number;
}

/** One call of the model under test. */
export interface Attempt {
	/** The result, whose form was checked; its body is unread. */
	readonly made: Promise<PcmAudio | EncodedAudio>;
	abort(): void;
}

/** Changes of a request. */
export type RequestChanges = Partial<SpeechRequest>;

/** Calls models as the plugin does. */
export class Caller {
	readonly #options: SpeechModelSuiteOptions;

	constructor(options: SpeechModelSuiteOptions) {
		this.#options = options;
	}

	/** Calls the model without reading the body. */
	attempt(model: SpeechModel, changes: RequestChanges = {}, isAborted = false): Attempt {
		const { input = sentences, voice = model.voices?.()[0] ?? 'alloy' } = this.#options;
		const stop = new AbortController();
		if (isAborted) stop.abort(reason);
		const request: SpeechRequest = { input, voice, speed: 1, format: 'pcm', ...changes };
		const run = { signal: stop.signal, log: silentLogger() };
		const call = async () => {
			const made = await model.speak(request, run);
			checkForm(made, request);
			return made;
		};
		const made = call();
		made.catch(() => {});
		return { made, abort: () => stop.abort(reason) };
	}

	/** The audio of a completed call, whose form and bytes were checked. */
	async speech(model: SpeechModel, changes?: RequestChanges): Promise<Spoken> {
		return readWhole(await this.attempt(model, changes).made);
	}

	/** Like `speech`, but undefined if the request is rejected with a 4xx status. */
	async speechUnlessRefused(model: SpeechModel, changes: RequestChanges): Promise<Spoken | undefined> {
		const made = await this.attempt(model, changes).made.catch(assertClientError);
		return made ? readWhole(made) : undefined;
	}
}

/** Reads a body to its end, and checks its bytes. */
async function readWhole(made: PcmAudio | EncodedAudio): Promise<Spoken> {
	const pieces: Buffer[] = [];
	for await (const piece of made.body) {
		assert(piece instanceof Uint8Array, 'a chunk of the body is not a Uint8Array');
		// A copy, because the model may reuse its buffer.
		pieces.push(Buffer.from(piece));
	}
	const bytes = Buffer.concat(pieces);
	checkBytes(bytes, made);
	const perSecond = 'sampleRate' in made ? made.sampleRate * made.channels * 2 : Infinity;
	return { made, bytes, seconds: bytes.byteLength / perSecond };
}

const sentences =
	'The lighthouse stands above the sea. At night its light turns slowly. Nobody has lived there for years.';
