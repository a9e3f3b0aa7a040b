import assert from 'node:assert/strict';
import { type ConformanceCase, type Subject, silentLogger } from '@plinth/testing';
import { checkedMp4, matchesMediaType } from '../container-format.ts';
import type { VideoModel, VideoRequest, VideoResult, VideoRun } from '../model.ts';
import { checkResult } from '../result.ts';

/** A fresh model. */
export interface VideoModelSubject extends Subject {
	readonly model: VideoModel;
}

/** What is under test, and what it promises beyond the contract. */
export interface VideoModelSuiteOptions {
	create(): Promise<VideoModelSubject>;
	readonly supports?: {
		/** Equal seeds make equal bytes, and different ones different bytes. */
		readonly deterministic?: boolean;
		/** It tells how far it is. */
		readonly progress?: boolean;
		/** It writes checkpoints, and an attempt that has one goes on from it. */
		readonly resume?: boolean;
		/** A picture to start from changes the video; otherwise it may be refused. */
		readonly reference?: boolean;
	};
	/** The request, for models that understand only some or are slow; two seconds of 640 by 480 pixels unless set. */
	readonly request?: Partial<Pick<VideoRequest, 'prompt' | 'seconds' | 'size'>>;
}

/** What a case checks. */
export type Check = (model: VideoModel, caller: Caller) => Promise<void>;

/** Makes a case whose model is fresh, and closed whatever happens. */
export type ModelCaseMaker = (name: string, check: Check) => ConformanceCase;

/** Why attempts are aborted. */
export const reason = new Error('The job was cancelled.');

/** A video, read to its end. */
export interface Made {
	readonly bytes: Buffer;
	readonly warnings: readonly string[];
}

/** One attempt of the model under test. */
export interface Attempt {
	/** The request that it was given. */
	readonly request: VideoRequest;
	/** Resolves when the body has been read, too; its form has been checked. */
	readonly video: Promise<Made>;
	/** The reported fractions. */
	readonly reported: readonly number[];
	/** Tokens, as they were written. */
	readonly tokens: readonly string[];
	abort(): void;
}

/** What a case may change about an attempt. */
export interface AttemptOptions {
	readonly request?: Partial<VideoRequest>;
	readonly seed?: number;
	readonly resume?: string;
	/** Runs when a token has been written; what it rejects with the model gets. */
	readonly onCheckpoint?: (attempt: Attempt) => Promise<void> | void;
	/** Runs when the result is there and nothing of its body has been read. */
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

	/** Begins an attempt. */
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
		const begin = Promise.withResolvers<void>();
		const call = async () => {
			await begin.promise;
			const result = await model.generate(request, run);
			part.onResult?.(attempt);
			return readWhole(result);
		};
		const attempt: Attempt = {
			...{ request, video: call(), reported, tokens },
			abort: () => stop.abort(reason),
		};
		attempt.video.catch(() => {});
		begin.resolve();
		return attempt;
	}

	/** A whole video. */
	make(model: VideoModel, part?: AttemptOptions): Promise<Made> {
		return this.attempt(model, part).video;
	}
}

async function readWhole(result: VideoResult): Promise<Made> {
	checkResult('under test', result);
	const { body, poster, spritesheet, warnings = [] } = result;
	assert(!poster || matchesMediaType(poster), 'the poster is not what its media type says');
	assert(!spritesheet || matchesMediaType(spritesheet), 'the spritesheet is not a JPEG');
	for (const warning of warnings) {
		assert(typeof warning === 'string' && warning !== '', 'a warning is no sentence');
	}
	const pieces: Buffer[] = [];
	// A copy: the model may use its memory again.
	for await (const piece of checkedMp4(body)) pieces.push(Buffer.from(piece));
	return { bytes: Buffer.concat(pieces), warnings };
}
