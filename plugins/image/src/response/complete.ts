import type { ImageContext } from '../context.ts';
import type { UrlStore } from '../links/url-store.ts';
import { type ImageTask, type MadePicture, makePictures, type PictureListener } from '../work/make.ts';
import type { UsageCounter } from './usage.ts';
import { defaultQuality, type Images, itemOf, metadataOf, type PictureItem } from './wire.ts';

/** Inputs of one model call. */
export interface AnswerContext {
	readonly task: ImageTask;
	readonly usage: UsageCounter;
	/** Stores the pictures when the client requested URLs. */
	readonly urlStore: UrlStore | undefined;
	readonly signal: AbortSignal;
	/** Warnings about the request. The kernel adds them to a complete response. */
	readonly warnings: readonly string[];
}

/** Generates all pictures. On failure, deletes the pictures that were stored. */
export async function answerWhole(
	context: ImageContext,
	{ task, usage, urlStore, signal }: AnswerContext,
	log: ImageContext['log'],
): Promise<Images> {
	const pictures: MadePicture[] = [];
	const warnings = new Set<string>();
	let filtered = 0;
	const listener: PictureListener = {
		usage,
		onPicture(picture) {
			usage.addPicture(picture);
			pictures.push(picture);
		},
		acceptsPartials: true,
		onPartial: () => {},
		onResult(result) {
			filtered += result.filtered ?? 0;
			for (const warning of result.warnings ?? []) warnings.add(warning);
		},
	};
	const tools = { images: context.images, concurrency: context.options.concurrency, log };
	await makePictures(task, listener, tools, signal);
	pictures.sort((a, b) => a.index - b.index);
	for (const warning of pictures.flatMap((picture) => picture.warnings)) warnings.add(warning);
	const [first] = pictures;
	return {
		created: Math.floor(context.clock.now() / 1000),
		data: await itemsOf(pictures, task, urlStore, signal),
		...(first ? metadataOf(first) : {}),
		output_format: task.finish.format,
		quality: first?.quality ?? defaultQuality,
		usage: usage.total(),
		filtered_count: filtered,
		...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
	};
}

async function itemsOf(
	pictures: readonly MadePicture[],
	{ finish }: ImageTask,
	urlStore: UrlStore | undefined,
	signal: AbortSignal,
): Promise<PictureItem[]> {
	const items: PictureItem[] = [];
	try {
		for (const picture of pictures) {
			const url = await urlStore?.put(picture.data, finish.format, signal);
			const { revisedPrompt } = picture;
			const revised = revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt };
			items.push({ ...itemOf(picture, url), ...revised });
		}
		signal.throwIfAborted();
		return items;
	} catch (error) {
		await urlStore?.clear();
		throw error;
	}
}
