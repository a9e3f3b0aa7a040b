import { type BoundModel, unsupportedValue } from '@plinth/core';
import type { VideoModel } from './model.ts';

/** The options of a request that depend on the abilities of a model. */
interface RequestedOptions {
	/** `WIDTHxHEIGHT`. */
	readonly size: string;
	readonly seconds: number;
	readonly input_reference?: unknown;
}

/** The size and length of a request. By default those of the API or, if the model lacks them, its first ones. */
export function withDefaults(
	requested: { readonly size?: string | undefined; readonly seconds?: number | undefined },
	{ model: { abilities = {} } }: BoundModel<VideoModel>,
): Pick<RequestedOptions, 'size' | 'seconds'> {
	const { sizes = [], seconds: lengths = [] } = abilities;
	return { size: requested.size ?? defaultOf('720x1280', sizes), seconds: requested.seconds ?? defaultOf(4, lengths) };
}

function defaultOf<T>(value: T, supported: readonly T[]): T {
	return supported.includes(value) ? value : (supported[0] ?? value);
}

/** Throws 400 `unsupported_value` for options that the abilities of the model exclude. */
export function checkAbilities(
	{ id, model: { abilities = {} } }: BoundModel<VideoModel>,
	{ size, seconds, input_reference: reference = null }: RequestedOptions,
): void {
	const { sizes, seconds: lengths, reference: acceptsReference = true } = abilities;
	if (sizes && !sizes.includes(size)) {
		throw unsupportedValue('size', `The model ${id} makes ${sizes.join(', ')}, not ${size}.`);
	}
	if (lengths && !lengths.includes(seconds)) {
		throw unsupportedValue('seconds', `The model ${id} makes videos of ${lengths.join(', ')} seconds, not ${seconds}.`);
	}
	if (reference !== null && !acceptsReference) {
		throw unsupportedValue('input_reference', `The model ${id} does not start from a picture.`);
	}
}
