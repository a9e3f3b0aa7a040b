/**
 * Plinth as a provider of the AI SDK, for clients. It loads nothing of the server.
 *
 * @packageDocumentation
 */

import { createOpenAICompatible, type MetadataExtractor } from '@ai-sdk/openai-compatible';
import {
	type Experimental_VideoModelV4,
	type ImageModelV4,
	type LanguageModelV4,
	NoSuchModelError,
	type ProviderV4,
	type SpeechModelV4,
	type TranscriptionModelV4,
} from '@ai-sdk/provider';
import { Connection, providerName } from './connection.ts';
import { imageModel } from './image.ts';
import type { PlinthProviderSettings } from './settings.ts';
import { speechModel } from './speech.ts';
import { transcriptionModel } from './transcription.ts';
import { videoModel } from './video.ts';

export type { PlinthProviderSettings } from './settings.ts';

/** The models of a Plinth server, by the ids that `GET /v1/models` lists. A call makes a language model. */
export interface PlinthProvider extends ProviderV4 {
	(modelId: string): LanguageModelV4;
	imageModel(modelId: string): ImageModelV4;
	speechModel(modelId: string): SpeechModelV4;
	transcriptionModel(modelId: string): TranscriptionModelV4;
	videoModel(modelId: string): Experimental_VideoModelV4;
}

/** Creates a provider for one server. */
export function createPlinth(settings: PlinthProviderSettings): PlinthProvider {
	const { baseURL, apiKey, headers, fetch } = settings;
	const compatible = createOpenAICompatible({
		name: providerName,
		baseURL,
		includeUsage: true,
		supportsStructuredOutputs: true,
		metadataExtractor: warningsExtractor,
		...(apiKey ? { apiKey } : {}),
		...(headers ? { headers } : {}),
		...(fetch ? { fetch } : {}),
	});
	const connection = new Connection(settings);
	const languageModel = (modelId: string) => compatible.languageModel(modelId);
	return Object.assign((modelId: string) => languageModel(modelId), {
		specificationVersion: 'v4' as const,
		languageModel,
		imageModel: (modelId: string) => imageModel(compatible.imageModel(modelId)),
		speechModel: (modelId: string) => speechModel(modelId, connection),
		transcriptionModel: (modelId: string) => transcriptionModel(modelId, connection),
		videoModel: (modelId: string) => videoModel(modelId, connection),
		embeddingModel(modelId: string): never {
			throw new NoSuchModelError({ modelId, modelType: 'embeddingModel' });
		},
	});
}

/** Copies the `warnings` of a response to `providerMetadata.plinth.warnings`. */
const warningsExtractor: MetadataExtractor = {
	extractMetadata: async ({ parsedBody }) => metadataOf(warningsIn(parsedBody)),
	createStreamExtractor() {
		const warnings: string[] = [];
		return {
			processChunk: (chunk) => void warnings.push(...warningsIn(chunk)),
			buildMetadata: () => metadataOf(warnings),
		};
	},
};

function warningsIn(body: unknown): string[] {
	const { warnings } = (body ?? {}) as { readonly warnings?: unknown };
	return Array.isArray(warnings) ? warnings.map(String) : [];
}

function metadataOf(warnings: string[]) {
	return warnings.length > 0 ? { [providerName]: { warnings } } : undefined;
}
