import { z } from 'zod';
import type { ImageSize, ImageUsage } from '../model.ts';

const tokens = z.int().min(0);

/** Token counts of an answer. */
export const usageSchema = z
	.object({
		input_tokens: tokens,
		output_tokens: tokens,
		total_tokens: tokens,
		input_tokens_details: z.object({ text_tokens: tokens, image_tokens: tokens }),
		output_tokens_details: z.object({ image_tokens: tokens, text_tokens: tokens }),
	})
	.meta({
		id: 'ImageUsage',
		description:
			"The model's own count; where it has none, an estimate: four characters of the prompt are a token, and so is every block of 32x32 pixels, of the pictures sent and of those made.",
	});

/** Token counts as clients see them. */
export type WireUsage = z.infer<typeof usageSchema>;

const none: ImageUsage = { inputTextTokens: 0, inputImageTokens: 0, outputTokens: 0 };

/** Estimates the tokens of a prompt: four characters each, at least one. */
export function textTokens(prompt: string): number {
	return Math.max(1, Math.ceil([...prompt].length / 4));
}

/** Estimates the tokens of a picture: one for each block of 32x32 pixels, also where it is not full. */
export function pictureTokens({ width, height }: ImageSize): number {
	return Math.ceil(width / 32) * Math.ceil(height / 32);
}

/**
 * Adds up what a request costs while its pictures are made. Estimated input counts once, however many calls the request needs; what a
 * model reports counts as it says.
 */
export class UsageLedger {
	readonly #input: ImageUsage;
	#isInputCounted = false;
	#total = none;
	#told = none;

	constructor(prompt: string, images: readonly ImageSize[] = []) {
		const imageTokens = images.reduce((sum, image) => sum + pictureTokens(image), 0);
		const inputTextTokens = textTokens(prompt);
		this.#input = { inputTextTokens, inputImageTokens: imageTokens, outputTokens: 0 };
	}

	/** A call has ended. */
	call(reported: ImageUsage | undefined): void {
		if (reported) this.#add(reported);
		else if (!this.#isInputCounted) {
			this.#isInputCounted = true;
			this.#add(this.#input);
		}
	}

	/** A picture is told of. It counts here unless its call has reported what it costs. */
	picture(picture: ImageSize & { readonly isReported: boolean }): void {
		if (!picture.isReported) this.#add({ ...none, outputTokens: pictureTokens(picture) });
	}

	/** Everything so far. */
	total(): WireUsage {
		return toWire(this.#total, none);
	}

	/** What has been added since the last time. */
	news(): WireUsage {
		const news = toWire(this.#total, this.#told);
		this.#told = this.#total;
		return news;
	}

	#add(usage: ImageUsage): void {
		const { inputTextTokens, inputImageTokens, outputTokens } = this.#total;
		this.#total = {
			inputTextTokens: inputTextTokens + usage.inputTextTokens,
			inputImageTokens: inputImageTokens + usage.inputImageTokens,
			outputTokens: outputTokens + usage.outputTokens,
		};
	}
}

function toWire(usage: ImageUsage, before: ImageUsage): WireUsage {
	const text = usage.inputTextTokens - before.inputTextTokens;
	const image = usage.inputImageTokens - before.inputImageTokens;
	const output = usage.outputTokens - before.outputTokens;
	return {
		input_tokens: text + image,
		output_tokens: output,
		total_tokens: text + image + output,
		input_tokens_details: { text_tokens: text, image_tokens: image },
		output_tokens_details: { image_tokens: output, text_tokens: 0 },
	};
}
