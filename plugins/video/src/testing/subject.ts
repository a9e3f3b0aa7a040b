import assert from 'node:assert/strict';
import { type ConformanceCase, type Subject, silentLogger } from '@plinth/testing';
import { checkedMp4, matchesMediaType } from '../container-format.ts';
import type { VideoModel, VideoRequest, VideoResult, VideoRun } from '../model.ts';
import { checkResult } from '../result.ts';

/** A new model, closed after the case. */
export interface VideoModelSubject extends Subject {
	readonly model: VideoModel;
}

/** How to create the model under test, and its promises beyond the contract. */
export interface VideoModelSuiteOptions {
	create(): Promise<VideoModelSubject>;
	readonly supports?: {
		/** Whether equal seeds give equal bytes, and different seeds different bytes. */
		readonly deterministic?: boolean;
		/** Whether it reports progress. */
		readonly progress?: boolean;
		/** Whether it writes checkpoints, and resumes from one in a later attempt. */
		readonly resume?: boolean;
		/** Whether a reference picture changes the video; otherwise it may be rejected. */
		readonly reference?: boolean;
	};
	/** Changes of the request, for models that are limited or slow. By default two seconds of 640 by 480 pixels. */
	readonly request?: Partial<Pick<VideoRequest, 'prompt' | 'seconds' | 'size'>>;
}

/** The check of a case. */
export type Check = (model: VideoModel, caller: Caller) => Promise<void>;

/** Creates a case with a new model, which is always closed. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** The reason of aborts. */
export const reason = new Error('The job was cancelled.');

/** A video whose body was read to its end. */
export interface Made {
	readonly bytes: Buffer;
	readonly warnings: readonly string[];
}

/** One attempt of the model under test. */
export interface Attempt {
	/** The request of the attempt. */
	readonly request: VideoRequest;
	/** Resolves when the body was read; the form of the result was checked. */
	readonly video: Promise<Made>;
	/** The reported fractions. */
	readonly reported: readonly number[];
	/** The written tokens. */
	readonly tokens: readonly string[];
	abort(): void;
}

/** Options of an attempt. */
export interface AttemptOptions {
	readonly request?: Partial<VideoRequest>;
	readonly seed?: number;
	readonly resume?: string;
	/** Runs when a token is written; a rejection is passed to the model. */
	readonly onCheckpoint?: (attempt: Attempt) => Promise<void> | void;
	/** Runs when the model has returned and its body is still unread. */
	readonly onResult?: (attempt: Attempt) => void;
	/** Aborts before the model is called. */
	readonly isAborted?: boolean;
}

/** Calls models as the plugin does. */
export class Caller {
	readonly #options: VideoModelSuiteOptions;

	constructor(options: VideoModelSuiteOptions) {
		this.#options = options;
	}

	/** Starts an attempt. */
	attempt(model: VideoModel, part: AttemptOptions = {}): Attempt {
		const stop = new AbortController();
		if (part.isAborted) stop.abort(reason);
		const [reported, tokens]: [number[], string[]] = [[], []];
		const run: VideoRun = {
			signal: stop.signal,
			progress: (fraction) => void reported.push(fraction),
			async checkpoint(token) {
				assert.equal(typeof token, 'string', 'a checkpoint is a string');
				tokens.push(token);
				await part.onCheckpoint?.(attempt);
			},
			...(part.resume === undefined ? {} : { resume: part.resume }),
			seed: part.seed ?? 7,
			key: '0123456789abcdef0123456789abcdef',
			log: silentLogger(),
		};
		const request: VideoRequest = {
			prompt: 'A red boat on a lake at dusk',
			seconds: 2,
			size: { width: 640, height: 480 },
			...this.#options.request,
			...part.request,
		};
		const start = Promise.withResolvers<void>();
		const call = async () => {
			await start.promise;
			const result = await model.generate(request, run);
			part.onResult?.(attempt);
			return readWhole(result);
		};
		const attempt: Attempt = {
			request,
			video: call(),
			reported,
			tokens,
			abort: () => stop.abort(reason),
		};
		attempt.video.catch(() => {});
		start.resolve();
		return attempt;
	}

	/** A complete video. */
	make(model: VideoModel, part?: AttemptOptions): Promise<Made> {
		return this.attempt(model, part).video;
	}
}

async function readWhole(result: VideoResult): Promise<Made> {
	checkResult('under test', result);
	const { body, poster, spritesheet, warnings = [] } = result;
	assert(!poster || matchesMediaType(poster), 'the poster does not match its media type');
	assert(!spritesheet || matchesMediaType(spritesheet), 'the spritesheet is not a JPEG');
	for (const warning of warnings) {
		assert(typeof warning === 'string' && warning !== '', 'a warning is empty or not a string');
	}
	const pieces: Buffer[] = [];
	// A copy, because the model may reuse its buffer.
	for await (const piece of checkedMp4(body)) pieces.push(Buffer.from(piece));
	return { bytes: Buffer.concat(pieces), warnings };
}
