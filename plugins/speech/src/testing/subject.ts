import { assertClientError, type ConformanceCase, type Subject, silentLogger } from '@plinth/testing';
import type { EncodedAudio, PcmAudio, SpeechModel, SpeechRequest } from '../model.ts';
import { checkForm, checkHead, checkPiece } from './form.ts';

/** A fresh model. */
export interface SpeechModelSubject extends Subject {
	readonly model: SpeechModel;
}

/** What is under test, and what it promises beyond the contract. */
export interface SpeechModelSuiteOptions {
	create(): Promise<SpeechModelSubject>;
	readonly supports?: {
		/** Equal requests get equal bytes. */
		readonly deterministic?: boolean;
		/** It keeps the tempo, and returns samples where `pcm` is asked for. */
		readonly speed?: boolean;
	};
	/** What is spoken, where a model does not speak English: three sentences. */
	readonly input?: string;
	/** A voice of the model; by default the first that it names, else `alloy`. */
	readonly voice?: string;
}

/** What a case checks. */
export type Check = (model: SpeechModel, caller: Caller) => Promise<void>;

/** Makes a case whose model is fresh, and closed whatever happens. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** Why attempts are aborted. */
export const reason = new Error('The client has disconnected.');

/** What a whole answer came to. */
export interface Spoken {
	readonly made: PcmAudio | EncodedAudio;
	readonly bytes: Buffer;
	/** Length of samples; 0 for what the model has encoded. */
	readonly seconds: number;
}

/** One call of the model under test. */
export interface Attempt {
	/** The answer, whose form has been checked; its body is unread. */
	readonly made: Promise<PcmAudio | EncodedAudio>;
	abort(): void;
}

/** What a case may change about a request. */
export type RequestChanges = Partial<SpeechRequest>;

/** Calls models as the plugin does. */
export class Caller {
	readonly #options: SpeechModelSuiteOptions;

	constructor(options: SpeechModelSuiteOptions) {
		this.#options = options;
	}

	/** Calls the model; nothing has been read yet. */
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

	/** A whole answer, whose form and bytes have been checked. */
	async speech(model: SpeechModel, changes?: RequestChanges): Promise<Spoken> {
		return readWhole(await this.attempt(model, changes).made);
	}

	/** The same; undefined for what is refused before there is an answer, with a status of 400 to 499. */
	async speechUnlessRefused(model: SpeechModel, changes: RequestChanges): Promise<Spoken | undefined> {
		const made = await this.attempt(model, changes).made.catch(assertClientError);
		return made ? readWhole(made) : undefined;
	}
}

/** Reads an answer to its end, and checks its bytes. */
async function readWhole(made: PcmAudio | EncodedAudio): Promise<Spoken> {
	const pieces: Buffer[] = [];
	for await (const piece of made.body) {
		checkPiece(piece, made);
		// A copy: the model may use its memory again.
		pieces.push(Buffer.from(piece));
	}
	const bytes = Buffer.concat(pieces);
	checkHead(bytes, made);
	const perSecond = 'sampleRate' in made ? made.sampleRate * made.channels * 2 : Infinity;
	return { made, bytes, seconds: bytes.byteLength / perSecond };
}

const sentences =
	'The lighthouse stands above the sea. At night its light turns slowly. Nobody has lived there for years.';
