import { defineModel, modelError } from '@plinth/core';
import { type ImageEditRequest, type ImageModel, type ImageRequest, imageModels } from '@plinth/plugin-image/model';
import { type SpeechModel, speechModels } from '@plinth/plugin-speech/model';
import { type VideoModel, type VideoRequest, videoModels } from '@plinth/plugin-video/model';
import { z } from 'zod';
import { solidPng } from './png.ts';

const none = z.strictObject({});

/** The first bytes of an MP4 file and nothing else, for tests that do not check the rendering. */
export const tinyMp4: Uint8Array<ArrayBuffer> = Uint8Array.from(
	Buffer.concat([
		Buffer.from([0, 0, 0, 20]),
		Buffer.from('ftypisom\0\0\0\0isom', 'latin1'),
		Buffer.from(Array.from({ length: 4_000 }, (_, index) => index % 251)),
	]),
);

/** The poster that belongs to {@link tinyMp4}. */
export const tinyPoster = solidPng(16, 16, [200, 80, 40]);

/** The contact sheet that belongs to {@link tinyMp4}: the first bytes of a JPEG. */
export const tinySheet: Uint8Array<ArrayBuffer> = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);

/** A gate that stays closed until it is opened. */
export interface Gate {
	readonly opened: Promise<void>;
	open(): void;
	/** Resolves when a model waits at the gate. */
	readonly reached: Promise<void>;
	reach(): void;
}

/** Makes a closed gate. */
export function gate(): Gate {
	const opening = Promise.withResolvers<void>();
	const reaching = Promise.withResolvers<void>();
	return {
		opened: opening.promise,
		open: opening.resolve,
		reached: reaching.promise,
		reach: reaching.resolve,
	};
}

/** The calls of {@link fakeVideo}, in order. */
export interface Recorded extends VideoRequest {
	/** The bytes of the reference image. */
	readonly picture: Uint8Array | undefined;
}

/**
 * A video model that responds at once and records its calls. Prompts that begin with "fail:" make it fail with the rest
 * of the prompt.
 */
export function fakeVideo(requests: Recorded[] = []) {
	return defineModel({
		kind: videoModels,
		name: 'test.instant',
		description: 'Responds at once.',
		config: none,
		create: (): VideoModel => ({
			apiVersion: 1,
			async generate(request) {
				requests.push({ ...request, picture: await request.reference?.bytes() });
				const [, reason] = /^fail:\s*(.+)$/s.exec(request.prompt) ?? [];
				if (reason) throw modelError(reason);
				return {
					body: tinyMp4,
					mediaType: 'video/mp4',
					poster: { body: tinyPoster, mediaType: 'image/png' },
					spritesheet: { body: tinySheet, mediaType: 'image/jpeg' },
				};
			},
		}),
	})();
}

/** A video model that reports half of the progress, then waits for the gate or for its signal. */
export function heldVideo({ opened, reach }: Gate, body: Uint8Array = tinyMp4) {
	return defineModel({
		kind: videoModels,
		name: 'test.held',
		config: none,
		create: (): VideoModel => ({
			apiVersion: 1,
			async generate(_request, { signal, progress }) {
				progress(0.5);
				reach();
				await orAborted(signal, opened);
				return { body, mediaType: 'video/mp4' };
			},
		}),
	})();
}

/** A speech model that produces a tenth of a second of silence once the gate is open. */
export function heldSpeech({ opened, reach }: Gate) {
	return defineModel({
		kind: speechModels,
		name: 'test.heldSpeech',
		config: none,
		create: (): SpeechModel => ({
			apiVersion: 1,
			async speak(_request, { signal }) {
				reach();
				await orAborted(signal, opened);
				const body = (async function* () {
					yield new Uint8Array(4_800);
				})();
				return { mediaType: 'audio/pcm', sampleRate: 24_000, channels: 1, body };
			},
		}),
	})();
}

/** The calls of {@link fakeImage}, in order. */
export interface RecordedImage extends ImageRequest {
	/** The bytes of the images and of the mask of an edit. */
	readonly sent?: readonly Uint8Array[];
	readonly maskBytes?: Uint8Array | undefined;
	readonly fidelity?: string;
	readonly seed: number;
}

/**
 * An image model that responds at once and records its calls. The colour of its pixels depends on the seed. It first
 * sends as many partial images as requested. Prompts that begin with "fail:" make it fail after the partial images with
 * the rest of the prompt. `fixed` is the size of all images, whatever size was requested: large images take time.
 */
export function fakeImage(requests: RecordedImage[] = [], fixed?: ImageRequest['size']) {
	return defineModel({
		kind: imageModels,
		name: 'test.paint',
		description: 'Paints one colour at once.',
		config: none,
		create: (): ImageModel => {
			const paint = (
				{ prompt, background, ...request }: ImageRequest,
				{ seed, partials, partial }: Parameters<NonNullable<ImageModel['generate']>>[1],
			) => {
				const size = fixed ?? request.size ?? { width: 64, height: 48 };
				const pixels = (alpha: number) => {
					const colour = Buffer.from([seed & 255, 90, 40, alpha]);
					return { ...size, data: Buffer.alloc(size.width * size.height * 4, colour) };
				};
				for (let index = 0; index < partials; index++) partial(pixels(255));
				const [, reason] = /^fail:\s*(.+)$/s.exec(prompt) ?? [];
				if (reason) throw modelError(reason);
				const revisedPrompt = `painted: ${prompt}`;
				return {
					images: [{ ...pixels(background === 'transparent' ? 0 : 255), revisedPrompt }],
				};
			};
			return {
				apiVersion: 1,
				async generate(request, run) {
					requests.push({ ...request, seed: run.seed });
					return paint(request, run);
				},
				async edit(request: ImageEditRequest, run) {
					const { images, mask, ...rest } = request;
					requests.push({
						...rest,
						seed: run.seed,
						sent: await Promise.all(images.map((image) => image.bytes())),
						maskBytes: await mask?.bytes(),
					});
					return paint(request, run);
				},
			};
		},
	})();
}

/**
 * An image model that sends one partial image, then waits for the gate or for its signal. It adds the signals of its
 * calls to `signals`.
 */
export function heldImage({ opened, reach }: Gate, signals: AbortSignal[] = []) {
	return defineModel({
		kind: imageModels,
		name: 'test.heldImage',
		config: none,
		create: (): ImageModel => {
			const wait: NonNullable<ImageModel['generate']> = async (_request, { signal, partial }) => {
				const picture = { width: 1, height: 1, data: Uint8Array.of(1, 2, 3, 255) };
				partial(picture);
				signals.push(signal);
				reach();
				await orAborted(signal, opened);
				return { images: [picture] };
			};
			return { apiVersion: 1, generate: wait, edit: wait };
		},
	})();
}

function orAborted(signal: AbortSignal, work: Promise<void>): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason);
		if (signal.aborted) stop();
		signal.addEventListener('abort', stop, { once: true });
		work.then(resolve, reject);
	});
}

/**
 * A speech model that responds at once in every format: with a tenth of a second of silence, or with placeholder bytes
 * for encoded formats.
 */
export function fakeSpeech() {
	return defineModel({
		kind: speechModels,
		name: 'test.silent',
		config: none,
		create: (): SpeechModel => ({
			apiVersion: 1,
			async speak({ format }) {
				const body = (async function* () {
					yield new Uint8Array(4_800);
				})();
				if (format === 'wav' || format === 'pcm') {
					return { mediaType: 'audio/pcm', sampleRate: 24_000, channels: 1, body };
				}
				return { mediaType: encodedTypes[format], format, body };
			},
		}),
	})();
}

const encodedTypes = {
	mp3: 'audio/mpeg',
	opus: 'audio/ogg',
	aac: 'audio/aac',
	flac: 'audio/flac',
} as const;
