import type { CapabilityId } from '../spec/capabilities.ts';

/** A call in OpenAI's SDKs. */
export interface SdkCall {
	/** Undefined if the SDKs have no method for it. */
	readonly method?: { readonly python: string; readonly typescript: string };
	/** The parameters that the SDKs do not know. In Python they are sent in `extra_body`. */
	readonly unknown?: readonly string[];
	/** The only values that the types of the SDK for TypeScript allow for a parameter. */
	readonly typed?: Readonly<Record<string, readonly string[]>>;
}

const bothAs = (method: string) => ({ python: method, typescript: method });

/** The calls of the SDKs by capability. */
export const sdkCalls: Readonly<Record<CapabilityId, SdkCall>> = {
	video: {
		method: { python: 'videos.create_and_poll', typescript: 'videos.create' },
		unknown: ['callback_url', 'callback_secret'],
		typed: { seconds: ['4', '8', '12'], size: ['720x1280', '1280x720', '1024x1792', '1792x1024'] },
	},
	image: { method: bothAs('images.generate'), unknown: ['num_inference_steps', 'seed'] },
	edit: { method: bothAs('images.edit'), unknown: ['moderation', 'num_inference_steps', 'seed'] },
	chat: { method: bothAs('chat.completions.create') },
	speech: { method: bothAs('audio.speech.create') },
	transcription: { method: bothAs('audio.transcriptions.create'), unknown: ['file_id'] },
	documents: {},
};

/** Whether the SDKs have a parameter. Never for a name that is no identifier, so that it cannot become code. */
export function isKnown({ unknown = [] }: SdkCall, name: string): boolean {
	return /^[a-z]\w*$/.test(name) && !unknown.includes(name);
}
