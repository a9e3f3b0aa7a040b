import { type BoundModel, unsupportedValue } from '@plinth/core';
import type { VideoModel } from './model.ts';

/** What a client asks for, as far as models differ in it. */
interface Wish {
	/** `WIDTHxHEIGHT`. */
	readonly size: string;
	readonly seconds: number;
	readonly input_reference?: unknown;
}

/** Fills in what a client does not ask for: the API's default, or the first that the model can do. */
export function withDefaults(
	asked: { readonly size?: string | undefined; readonly seconds?: number | undefined },
	{ model: { abilities = {} } }: BoundModel<VideoModel>,
): Pick<Wish, 'size' | 'seconds'> {
	const { sizes = [], seconds: lengths = [] } = abilities;
	return { size: asked.size ?? usual('720x1280', sizes), seconds: asked.seconds ?? usual(4, lengths) };
}

function usual<T>(value: T, possible: readonly T[]): T {
	return possible.includes(value) ? value : (possible[0] ?? value);
}

/** Throws 400 `unsupported_value` for what the model says that it cannot do. */
export function checkAbilities(
	{ id, model: { abilities = {} } }: BoundModel<VideoModel>,
	{ size, seconds, input_reference: reference = null }: Wish,
): void {
	const { sizes, seconds: lengths, reference: takesReference = true } = abilities;
	if (sizes && !sizes.includes(size)) {
		throw unsupportedValue('size', `The model ${id} makes ${sizes.join(', ')}, not ${size}.`);
	}
	if (lengths && !lengths.includes(seconds)) {
		throw unsupportedValue('seconds', `The model ${id} makes videos of ${lengths.join(', ')} seconds, not ${seconds}.`);
	}
	if (reference !== null && !takesReference) {
		throw unsupportedValue('input_reference', `The model ${id} does not start from a picture.`);
	}
}
