import { invalidValue, unsupportedValue } from '@plinth/core';
import type { ImageAbilities, ImageEditRequest, ImageModel, ImageRequest } from '../model.ts';
import type { Finish } from '../work/finish.ts';
import type { EditBody, GenerationBody } from './fields.ts';
import { modelQuality } from './fields.ts';
import type { Inputs } from './inputs.ts';
import { formatSize, isMade, parseSize, sizeToAsk } from './sizes.ts';

/** What a request asks of a model, without how many pictures. */
export type Wish = Omit<ImageRequest, 'count'>;
/** The same for an edit. */
export type EditWish = Omit<ImageEditRequest, 'count'>;

/** Refuses what contradicts itself, whatever the model is: 400 errors with the parameter at fault. */
export function checkConflicts(body: Pick<GenerationBody, 'background' | 'output_format'>): void {
	if (body.background === 'transparent' && body.output_format === 'jpeg') {
		throw invalidValue(
			'background',
			'jpeg has no transparency. Ask for png or webp as output_format, or for another background.',
		);
	}
}

/** Refuses what the model cannot do, and nobody can do for it: 400 `unsupported_value` with the parameter at fault. */
export function checkAbilities(
	{ id, model }: { readonly id: string; readonly model: ImageModel },
	operation: 'generate' | 'edit',
	body: Pick<GenerationBody, 'background' | 'size'>,
	sent?: { readonly field: string; readonly images: readonly unknown[]; readonly mask: unknown },
): void {
	const { abilities = {} } = model;
	if (typeof model[operation] !== 'function') {
		const lack = operation === 'edit' ? 'does not edit pictures' : 'makes no pictures from words';
		throw unsupportedValue('model', `The model ${id} ${lack}. Name another one.`);
	}
	if (body.background === 'transparent' && abilities.transparency === false) {
		throw unsupportedValue('background', `The model ${id} makes no transparent backgrounds.`);
	}
	checkSize(id, abilities, body.size);
	if (!sent) return;
	const { images: most = Infinity } = abilities;
	if (sent.images.length > most) {
		throw unsupportedValue(sent.field, `The model ${id} takes at most ${most} pictures.`);
	}
	if (sent.mask !== undefined && abilities.mask === false) {
		throw unsupportedValue('mask', `The model ${id} takes no masks.`);
	}
}

/** The wish behind the body of a generation. */
export function generationWish(body: GenerationBody, abilities: ImageAbilities): Wish {
	return {
		...commonWish(body, abilities),
		quality: modelQuality(body.quality),
		...(body.style === undefined ? {} : { style: body.style }),
	};
}

/** The wish behind the body of an edit. */
export function editWish(
	body: EditBody,
	abilities: ImageAbilities,
	{ images, mask }: Inputs,
): EditWish {
	return {
		...commonWish(body, abilities),
		quality: body.quality,
		images,
		...(mask ? { mask } : {}),
		fidelity: body.input_fidelity,
	};
}

/** What is to be done with each picture once it is made. */
export function finishOf(body: GenerationBody | EditBody, abilities: ImageAbilities): Finish {
	return {
		format: body.output_format,
		compression: body.output_compression,
		background: body.background,
		size: parseSize(body.size),
		abilities,
	};
}

function commonWish(
	body: GenerationBody | EditBody,
	abilities: ImageAbilities,
): Omit<Wish, 'quality'> {
	const size = parseSize(body.size);
	return {
		prompt: body.prompt,
		...(size ? { size: sizeToAsk(abilities, size) } : {}),
		background: body.background,
		format: body.output_format,
		compression: body.output_compression,
		moderation: body.moderation,
		...(body.num_inference_steps === undefined ? {} : { steps: body.num_inference_steps }),
		...(body.user === undefined ? {} : { user: body.user }),
	};
}

function checkSize(id: string, abilities: ImageAbilities, text: string): void {
	const size = parseSize(text);
	if (!size || abilities.fit || isMade(abilities, size)) return;
	const sizes = (abilities.sizes ?? []).map(formatSize).join(', ');
	throw unsupportedValue('size', `The model ${id} makes ${sizes}, not ${text}.`);
}
