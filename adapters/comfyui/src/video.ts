import { defineModel, type SelfCheck, services, unsupportedValue } from '@plinth/core';
import { type VideoModel, videoModels } from '@plinth/plugin-video/model';
import { videoAbilityOptions } from '@plinth/toolkit';
import { z } from 'zod';
import { commonOptions } from './options.ts';
import { openPrompts } from './prompts.ts';

const rules = /^(?!0+n)(\d{0,4})n(?:\+(\d{1,4}))?$/;

const config = z
	.strictObject({
		...commonOptions,
		sizes: videoAbilityOptions.sizes,
		seconds: videoAbilityOptions.seconds,
		/** Frames per second of the workflow. Needed for the binding `frames`. */
		fps: z.coerce.number<number | string>().positive().max(240).optional(),
		/** The numbers of frames that the workflow accepts: `4n+1` means 1, 5, 9, and so on; `n` means every number. */
		frameRule: z.string().regex(rules, 'Expected a rule such as "n", "8n" or "4n+1"').default('n'),
	})
	.refine(({ bindings, fps }) => !bindings.frames || fps !== undefined, {
		path: ['fps'],
		message: 'The binding frames needs fps: the frames per second of the workflow',
	});

/** A workflow as a video model. Videos continue after a restart of Plinth, and restart after one of ComfyUI. */
export const comfyuiVideo = defineModel({
	kind: videoModels,
	name: 'comfyui.video',
	description: 'A workflow of ComfyUI.',
	config,
	needs: { clock: services.clock },
	async create(context): Promise<VideoModel & SelfCheck> {
		const { sizes, seconds: lengths, fps = 0, frameRule: rule, keepMetadata } = context.config;
		const prompts = await openPrompts(context);
		const { workflow } = prompts;
		const hasImage = workflow.count('image') > 0;
		const hasSize = workflow.count('width') > 0 && workflow.count('height') > 0;
		const warnings = [
			...(hasSize ? [] : ['The workflow makes videos of its own size.']),
			...(workflow.count('frames') > 0 ? [] : ['The workflow makes videos of its own length.']),
		];
		return {
			apiVersion: 1,
			abilities: { sizes, seconds: lengths, reference: hasImage, ...(fps > 0 && { fps }) },
			async generate({ prompt, size, seconds, reference }, run) {
				if (reference && !hasImage) {
					throw unsupportedValue('input_reference', 'This model does not accept input_reference.');
				}
				const values = { prompt, seed: run.seed, ...size, frames: framesFor(seconds, fps, rule) };
				const images = reference ? [reference] : [];
				const body = await prompts.run({ makes: 'video', values, images }, run);
				return { body, mediaType: 'video/mp4', dropMetadata: !keepMetadata, warnings };
			},
			cancel: (token) => prompts.cancel(token),
			unload: () => prompts.unload(),
			check: () => prompts.check(),
		};
	},
});

/** The smallest number of frames that a rule allows and that is at least as long: 33 for 2 s at 16 fps with `4n+1`. */
export function framesFor(seconds: number, fps: number, rule: string): number {
	const [, factor = '', rest = '0'] = rules.exec(rule) ?? [];
	const [step, offset] = [Number(factor || '1'), Number(rest)];
	return Math.max(0, Math.ceil((Math.round(seconds * fps) - offset) / step)) * step + offset;
}
