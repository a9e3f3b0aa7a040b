import { z } from 'zod';
import type { ImageSize, ImageUsage } from '../model.ts';

const tokens = z.int().min(0);

/** Token counts of a response. */
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
			'The usage that the model reports, or an estimate: one token for four characters of the prompt, ' +
			'and one for each block of 32x32 pixels of input and output pictures.',
	});

/** Token counts as the API returns them. */
export type WireUsage = z.infer<typeof usageSchema>;

const zeroUsage: ImageUsage = { inputTextTokens: 0, inputImageTokens: 0, outputTokens: 0 };

/** Estimates the tokens of a prompt: four characters each, at least one. */
export function textTokens(prompt: string): number {
	return Math.max(1, Math.ceil([...prompt].length / 4));
}

/** Estimates the tokens of a picture: one for each block of 32x32 pixels, counting partial blocks. */
export function pictureTokens({ width, height }: ImageSize): number {
	return Math.ceil(width / 32) * Math.ceil(height / 32);
}

/** Adds up the usage of a request. Estimated input counts once, for all calls; reported usage counts as reported. */
export class UsageCounter {
	readonly #input: ImageUsage;
	#isInputCounted = false;
	#total = zeroUsage;
	#lastTotal = zeroUsage;

	constructor(prompt: string, images: readonly ImageSize[] = []) {
		const imageTokens = images.reduce((sum, image) => sum + pictureTokens(image), 0);
		const inputTextTokens = textTokens(prompt);
		this.#input = { inputTextTokens, inputImageTokens: imageTokens, outputTokens: 0 };
	}

	/** Adds a finished call. */
	addCall(reported: ImageUsage | undefined): void {
		if (reported) this.#add(reported);
		else if (!this.#isInputCounted) {
			this.#isInputCounted = true;
			this.#add(this.#input);
		}
	}

	/** Adds a picture that was sent, unless the model reported the usage of its call. */
	addPicture(picture: ImageSize & { readonly isReported: boolean }): void {
		if (!picture.isReported) this.#add({ ...zeroUsage, outputTokens: pictureTokens(picture) });
	}

	/** The usage so far. */
	total(): WireUsage {
		return toWire(this.#total, zeroUsage);
	}

	/** The usage since the previous call of this method. */
	takeDelta(): WireUsage {
		const delta = toWire(this.#total, this.#lastTotal);
		this.#lastTotal = this.#total;
		return delta;
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
