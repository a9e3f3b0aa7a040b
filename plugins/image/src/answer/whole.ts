import type { ImageContext } from '../context.ts';
import type { Shelf } from '../links/urls.ts';
import { type Audience, type MadePicture, makePictures, type Order } from '../work/make.ts';
import type { UsageLedger } from './usage.ts';
import { bestQuality, factsOf, type Images, itemOf, type PictureItem } from './wire.ts';

/** What one model is asked with. */
export interface WholeOrder {
	readonly order: Order;
	readonly usage: UsageLedger;
	/** Where the pictures are kept when the client wants URLs. */
	readonly shelf: Shelf | undefined;
	readonly signal: AbortSignal;
}

/** Makes all pictures and answers with them. What was stored for an answer that fails is deleted again. */
export async function answerWhole(
	context: ImageContext,
	{ order, usage, shelf, signal }: WholeOrder,
	log: ImageContext['log'],
): Promise<Images> {
	const pictures: MadePicture[] = [];
	const warnings = new Set<string>();
	let filtered = 0;
	const audience: Audience = {
		usage,
		made(picture) {
			usage.picture(picture);
			pictures.push(picture);
		},
		hasRoom: true,
		partial: () => {},
		ended(result) {
			filtered += result.filtered ?? 0;
			for (const warning of result.warnings ?? []) warnings.add(warning);
		},
	};
	const shop = { images: context.images, concurrency: context.options.concurrency, log };
	await makePictures(order, audience, shop, signal);
	pictures.sort((a, b) => a.index - b.index);
	for (const warning of pictures.flatMap((picture) => picture.warnings)) warnings.add(warning);
	const [first] = pictures;
	return {
		created: Math.floor(context.clock.now() / 1000),
		data: await itemsOf(pictures, order, shelf, signal),
		...(first ? factsOf(first) : {}),
		output_format: order.finish.format,
		quality: first?.quality ?? bestQuality,
		usage: usage.total(),
		filtered_count: filtered,
		...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
	};
}

async function itemsOf(
	pictures: readonly MadePicture[],
	order: Order,
	shelf: Shelf | undefined,
	signal: AbortSignal,
): Promise<PictureItem[]> {
	const items: PictureItem[] = [];
	try {
		for (const picture of pictures) {
			const url = await shelf?.put(picture.data, order.finish.format, signal);
			const { revisedPrompt } = picture;
			const revised = revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt };
			items.push({ ...itemOf(picture, url), ...revised });
		}
		signal.throwIfAborted();
		return items;
	} catch (error) {
		await shelf?.clear();
		throw error;
	}
}
