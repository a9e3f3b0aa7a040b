import type { SharedV4Warning, SpeechModelV4 } from '@ai-sdk/provider';
import { createBinaryResponseHandler, postJsonToApi } from '@ai-sdk/provider-utils';
import { type Connection, optionsOf, providerName, responseOf } from './connection.ts';

/** A speech model: `POST /v1/audio/speech`. The voice is `alloy` and the format WAV unless a call sets them. */
export function speechModel(modelId: string, connection: Connection): SpeechModelV4 {
	return {
		specificationVersion: 'v4',
		provider: `${providerName}.speech`,
		modelId,
		async doGenerate({ text, voice = 'alloy', outputFormat = 'wav', abortSignal, ...options }) {
			const { instructions, speed, language, providerOptions, headers } = options;
			const body = {
				model: modelId,
				input: text,
				voice,
				response_format: outputFormat,
				instructions,
				speed,
				...optionsOf(providerOptions),
			};
			const { value, responseHeaders } = await postJsonToApi({
				...connection.to('/audio/speech', headers, abortSignal),
				body,
				successfulResponseHandler: createBinaryResponseHandler(),
			});
			const warnings: SharedV4Warning[] = language === undefined ? [] : [{ type: 'unsupported', feature: 'language' }];
			return {
				audio: value,
				warnings,
				request: { body: JSON.stringify(body) },
				response: { ...responseOf(modelId, responseHeaders), headers: responseHeaders ?? {} },
			};
		},
	};
}
