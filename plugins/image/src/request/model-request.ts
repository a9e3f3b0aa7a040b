import { invalidValue, unsupportedValue } from '@plinth/core';
import type { ImageAbilities, ImageEditRequest, ImageModel, ImageRequest } from '../model.ts';
import type { FinishOptions } from '../work/finish.ts';
import type { EditBody, GenerationBody } from './fields.ts';
import { modelQuality } from './fields.ts';
import type { Inputs } from './inputs.ts';
import { closestSize, formatSize, isSupportedSize, parseSize } from './sizes.ts';

/** A generation request to a model, without the number of pictures. */
export type GenerationRequest = Omit<ImageRequest, 'count'>;
/** An edit request to a model, without the number of pictures. */
export type EditRequest = Omit<ImageEditRequest, 'count'>;

/** Throws 400 errors for conflicting fields, independent of the model. */
export function checkConflicts(body: Pick<GenerationBody, 'background' | 'output_format'>): void {
	if (body.background === 'transparent' && body.output_format === 'jpeg') {
		throw invalidValue(
			'background',
			'jpeg has no transparency. Ask for png or webp as output_format, or for another background.',
		);
	}
}

/** Throws 400 `unsupported_value` for options that the model does not support. */
export function checkAbilities(
	{ id, model }: { readonly id: string; readonly model: ImageModel },
	operation: 'generate' | 'edit',
	body: Pick<GenerationBody, 'background' | 'size'>,
	sent?: { readonly field: string; readonly images: readonly unknown[]; readonly mask: unknown },
): void {
	const { abilities = {} } = model;
	if (typeof model[operation] !== 'function') {
		const reason = operation === 'edit' ? 'does not edit pictures' : 'does not generate pictures from a text';
		throw unsupportedValue('model', `The model ${id} ${reason}. Name another one.`);
	}
	if (body.background === 'transparent' && abilities.transparency === false) {
		throw unsupportedValue('background', `The model ${id} makes no transparent backgrounds.`);
	}
	checkSize(id, abilities, body.size);
	if (!sent) return;
	const { images: max = Infinity } = abilities;
	if (sent.images.length > max) {
		throw unsupportedValue(sent.field, `The model ${id} accepts at most ${max} pictures.`);
	}
	if (sent.mask !== undefined && abilities.mask === false) {
		throw unsupportedValue('mask', `The model ${id} accepts no masks.`);
	}
}

/** The model request of a generation. */
export function generationRequest(body: GenerationBody, abilities: ImageAbilities): GenerationRequest {
	return {
		...commonRequest(body, abilities),
		...(body.style === undefined ? {} : { style: body.style }),
	};
}

/** The model request of an edit. */
export function editRequest(body: EditBody, abilities: ImageAbilities, { images, mask }: Inputs): EditRequest {
	return {
		...commonRequest(body, abilities),
		images,
		...(mask ? { mask } : {}),
		fidelity: body.input_fidelity,
	};
}

/** How each picture is finished. */
export function finishOf(body: GenerationBody | EditBody, abilities: ImageAbilities): FinishOptions {
	return {
		format: body.output_format,
		compression: body.output_compression,
		background: body.background,
		size: parseSize(body.size),
		abilities,
	};
}

function commonRequest(body: GenerationBody | EditBody, abilities: ImageAbilities): GenerationRequest {
	const size = parseSize(body.size);
	const user = body.user ?? body.safety_identifier;
	return {
		prompt: body.prompt,
		...(size ? { size: closestSize(abilities, size) } : {}),
		quality: modelQuality(body.quality),
		background: body.background,
		format: body.output_format,
		compression: body.output_compression,
		moderation: body.moderation,
		...(body.num_inference_steps === undefined ? {} : { steps: body.num_inference_steps }),
		...(user === undefined ? {} : { user }),
	};
}

function checkSize(id: string, abilities: ImageAbilities, text: string): void {
	const size = parseSize(text);
	if (!size || abilities.fit || isSupportedSize(abilities, size)) return;
	const sizes = (abilities.sizes ?? []).map(formatSize).join(', ');
	throw unsupportedValue('size', `The model ${id} makes ${sizes}, not ${text}.`);
}
