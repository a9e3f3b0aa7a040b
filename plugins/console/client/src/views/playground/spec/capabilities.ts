import type { ApiDocument } from '../../../api/openapi.ts';
import type { Facts } from './facts.ts';
import { bodiesOf } from './fields.ts';

/** The id of a capability, which is also the last part of its address in the page. */
export type CapabilityId = 'video' | 'image' | 'edit' | 'chat' | 'speech' | 'transcription' | 'documents';

/** The values of a form by parameter: a text, except for checkboxes. */
export type Values = Readonly<Record<string, string | boolean | readonly string[]>>;

/** A capability as the page shows it. Its parameters come from the server. */
export interface Capability {
	readonly id: CapabilityId;
	readonly title: string;
	readonly path: string;
	/** The text of its button. */
	readonly verb: string;
	/** The kind of its models; undefined for one without models. */
	readonly kind?: string;
	/** The capability that its models must have. */
	readonly fact?: string;
	/** The parameters above "More options", in this order. */
	readonly main: readonly string[];
	/** Parameters without a field: the page sets them, or they are older names of others. */
	readonly hidden?: readonly string[];
	/** Parameters with texts of several lines. */
	readonly long?: readonly string[];
	/** Whether the request always has files. */
	readonly isUpload?: boolean;
	/** The initial values of the form. */
	readonly example: Values;
}

/** All capabilities that the page knows, in the order of its tabs. */
export const capabilities: readonly Capability[] = [
	{
		id: 'video',
		title: 'Video',
		path: '/v1/videos',
		verb: 'Make the video',
		kind: 'video',
		main: ['prompt', 'model', 'size', 'seconds', 'input_reference'],
		long: ['prompt'],
		example: { prompt: 'A lighthouse above the sea at dusk, waves rolling in' },
	},
	{
		id: 'image',
		title: 'Image',
		path: '/v1/images/generations',
		verb: 'Make the picture',
		kind: 'image',
		fact: 'generate',
		main: ['prompt', 'model', 'size', 'n', 'stream'],
		long: ['prompt'],
		example: { prompt: 'A castle in the mountains at dusk, with a lake', stream: true, partial_images: '2' },
	},
	{
		id: 'edit',
		title: 'Edit',
		path: '/v1/images/edits',
		verb: 'Change the picture',
		kind: 'image',
		fact: 'edit',
		main: ['image', 'mask', 'prompt', 'model', 'background', 'stream'],
		hidden: ['images'],
		long: ['prompt'],
		isUpload: true,
		example: { prompt: 'black and white, with a border', stream: true, partial_images: '2' },
	},
	{
		id: 'chat',
		title: 'Chat',
		path: '/v1/chat/completions',
		verb: 'Send',
		kind: 'chat',
		main: ['model'],
		hidden: ['messages', 'stream_options', 'n', 'functions', 'function_call', 'max_tokens', 'modalities'],
		long: ['tools', 'response_format'],
		example: { stream: true },
	},
	{
		id: 'speech',
		title: 'Speech',
		path: '/v1/audio/speech',
		verb: 'Speak',
		kind: 'speech',
		main: ['input', 'model', 'voice', 'response_format', 'speed'],
		hidden: ['stream_format'],
		long: ['input', 'instructions'],
		example: { input: 'Good morning. The ferry to the island leaves at nine.' },
	},
	{
		id: 'transcription',
		title: 'Transcription',
		path: '/v1/audio/transcriptions',
		verb: 'Write it down',
		kind: 'transcription',
		main: ['file', 'model', 'language', 'response_format'],
		long: ['prompt'],
		isUpload: true,
		example: { response_format: 'verbose_json' },
	},
	{
		id: 'documents',
		title: 'Documents',
		path: '/api/attachments/parse',
		verb: 'Read the documents',
		main: ['files', 'pages', 'format'],
		isUpload: true,
		example: {},
	},
];

/** A model of `/v1/models`, as far as the playground uses it. */
export interface PlaygroundModel {
	readonly id: string;
	readonly kind?: string;
	readonly description?: string;
	readonly capabilities?: Facts;
}

/** A capability of this server. */
export interface Offer {
	readonly capability: Capability;
	/** Empty for a capability without models. */
	readonly models: readonly PlaygroundModel[];
}

/** The capabilities for which this server has a route and models. */
export function offersOf(document: ApiDocument, models: readonly PlaygroundModel[]): readonly Offer[] {
	return capabilities.flatMap((capability) => {
		const { kind, fact, path } = capability;
		const { json, form } = bodiesOf(document, path);
		const suitable = models.filter(
			(model) => kind !== undefined && model.kind === kind && (!fact || model.capabilities?.[fact] !== false),
		);
		const isOffered = (json ?? form) !== undefined && (kind === undefined || suitable.length > 0);
		return isOffered ? [{ capability, models: suitable }] : [];
	});
}
