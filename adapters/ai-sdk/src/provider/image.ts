import type { ImageModelV4 } from '@ai-sdk/provider';
import { optionsOf, providerName } from './connection.ts';

/**
 * An image model for generations and edits. It adds the `seed`, which Plinth supports and OpenAI's API does not, to the
 * model of `@ai-sdk/openai-compatible`.
 */
export function imageModel(compatible: ImageModelV4): ImageModelV4 {
	return {
		specificationVersion: 'v4',
		provider: `${providerName}.image`,
		modelId: compatible.modelId,
		maxImagesPerCall: 10,
		supportsFileInputs: true,
		supportsMaskInputs: true,
		doGenerate({ seed, providerOptions, ...options }) {
			const own = { ...(seed === undefined ? {} : { seed }), ...optionsOf(providerOptions) };
			const all = { ...providerOptions, [providerName]: own } as typeof providerOptions;
			return compatible.doGenerate({ ...options, seed: undefined, providerOptions: all });
		},
	};
}
