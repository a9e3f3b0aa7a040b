import type { EncodedImage, FitOptions, RawImage, TranscodeOptions } from '@plinth/toolkit';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { decodingBytes, rotatedDecodingBytes } from './decoding-bytes.ts';
import { encodeAs, isOpaque } from './encoding.ts';
import { decode, maxPixels, maxSeconds, Refusal, tooMuchMemory } from './failures.ts';
import { type ImageHead, type Input, inputFrom } from './input.ts';
import { rawFrom, resized } from './pixels.ts';
import type { Task, TaskResult, TaskResults } from './tasks.ts';

/** A picture whose header has been read. */
export interface Picture {
	readonly input: Input;
	readonly metadata: Metadata;
}

/** Maximum bytes needed for decoding; above it a picture is refused, because the worker could not always process it. */
const maxDecodingBytes = 380_000_000;

/** Reads the header. Throws a `Refusal`, also for animations, and errors of the file system. */
export async function openPicture(image: EncodedImage, imageHead: ImageHead): Promise<Picture> {
	const input = await inputFrom(image, imageHead);
	const metadata = await decode(() => open(input).metadata());
	if ((metadata.pages ?? 1) > 1) {
		throw new Refusal('E_IMAGE_UNREADABLE', 'Animations are not accepted. Send a still picture.');
	}
	if (decodingBytes(input.head, metadata) > maxDecodingBytes) throw tooMuchMemory();
	return { input, metadata };
}

/** Runs a task. Throws a `Refusal` for an invalid picture. */
export function runTask<T extends Task>(picture: Picture, task: T): Promise<TaskResult<T>>;
export function runTask(picture: Picture, task: Task): Promise<TaskResults[keyof TaskResults]> {
	switch (task.kind) {
		case 'probe':
			return decode(() => probe(picture));
		case 'fit':
			return decode(() => fit(picture, task.options));
		case 'transcode':
			return decode(() => transcode(picture, task.options));
	}
}

/** Size of a file above which it goes to the worker: reading it takes long. */
const maxLightFileBytes = 8_000_000;

/** Pixels above which a picture goes to the worker. 12 megapixels, decoded row by row, take 2 MB and 25 ms. */
const maxLightPixels = 16_000_000;

/** Bytes needed for decoding above which a picture goes to the worker. */
const maxLightDecodingBytes = 16_777_216;

/** Whether decoding needs so much time or memory that it belongs in the worker process. */
export function isHeavy({ input, metadata }: Picture): boolean {
	const { width, height } = metadata;
	const isSmall = width * height <= maxLightPixels && !isLarge(input);
	return !isSmall || rotatedDecodingBytes(input.head, metadata) > maxLightDecodingBytes;
}

/** Whether the file alone is large enough for the worker. */
export function isLarge({ size }: ImageHead): boolean {
	return size > maxLightFileBytes;
}

function open({ source }: Input): Sharp {
	return sharp(source, {
		limitInputPixels: maxPixels,
		failOn: 'error',
		pages: 1,
		sequentialRead: true,
	}).timeout({ seconds: maxSeconds });
}

/** Decodes every row once. */
async function probe({ input, metadata }: Picture) {
	await decodeOnly(open(input), metadata).raw().toBuffer();
	const { width, height } = metadata.autoOrient;
	return { format: input.format, width, height, hasAlpha: metadata.hasAlpha };
}

/** Decodes with a tiny result: JPEG and WebP shrink on load, and the last pixel of a PNG needs all others. */
function decodeOnly(pipeline: Sharp, { format, width, height }: Metadata): Sharp {
	return format === 'png'
		? pipeline.extract({ left: width - 1, top: height - 1, width: 1, height: 1 })
		: pipeline.resize(8, 8, { fit: 'fill' });
}

async function fit({ input }: Picture, options: FitOptions): Promise<RawImage> {
	return rawFrom(resized(open(input).autoOrient(), options));
}

async function transcode({ input }: Picture, { fit, ...options }: TranscodeOptions) {
	const upright = open(input).autoOrient();
	const sized = fit ? resized(upright, fit, isOpaque(options)) : upright;
	const { data, info } = await encodeAs(sized, options).toBuffer({ resolveWithObject: true });
	return { data, width: info.width, height: info.height };
}
