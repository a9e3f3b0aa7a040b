/**
 * The support for a feature. `yes`: the request for it is sent to the server. `here`: the adapter implements it.
 * `warning`: the answer lacks it and has a warning. `400`: the request is rejected. `no`: it has no effect. `–`: it
 * cannot be configured.
 */
export type Cell = 'yes' | 'here' | 'warning' | '400' | 'no' | '–';

/** A row for each feature, a cell for each dialect in the order of `dialects`. */
export interface FeatureTable {
	readonly dialects: readonly string[];
	readonly rows: Readonly<Record<string, readonly Cell[]>>;
}

/**
 * The support for each feature by each dialect. The tests of each kind verify this table, and the guide contains it.
 */
export const features = {
	all: {
		dialects: ['openai', 'vllm-omni', 'sglang', 'localai', 'ollama', 'llamacpp', 'sdcpp'],
		rows: {
			chat: ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', '–'],
			'chat, streamed': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', '–'],
			tools: ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', '–'],
			'JSON by a schema': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', '–'],
			'files, as text': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', '–'],
			'images in chats': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', '–'],
			'image generation': ['yes', 'yes', 'yes', 'yes', '–', '–', 'yes'],
			'image edits': ['yes', 'yes', 'yes', 'no', '–', '–', 'yes'],
			'image edits with a mask': ['yes', 'yes', 'no', 'yes', '–', '–', 'yes'],
			'partial images': ['yes', 'no', 'no', 'no', '–', '–', 'no'],
			'speech in compressed formats': ['yes', 'yes', '–', 'yes', 'no', '–', '–'],
			'speech, streamed': ['yes', 'yes', '–', 'yes', 'yes', '–', '–'],
			'transcription, streamed': ['yes', 'yes', '–', '–', '–', '–', '–'],
			videos: ['yes', 'yes', 'yes', 'yes', '–', '–', '–'],
			'progress of videos': ['yes', 'yes', 'yes', 'no', '–', '–', '–'],
			'videos can be stopped': ['yes', 'yes', 'yes', 'yes', '–', '–', '–'],
			'videos continue after a restart': ['yes', 'yes', 'yes', 'no', '–', '–', '–'],
			'interrupted video downloads resume': ['yes', 'yes', 'yes', 'yes', '–', '–', '–'],
			'refusals name the parameter': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'429, 5xx and lost connections are retried': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'chat requests pass through': ['yes', 'yes', 'yes', 'no', 'no', 'yes', '–'],
			'image requests pass through': ['yes', 'no', 'no', 'no', '–', '–', 'no'],
			'speech requests pass through': ['yes', 'no', '–', 'no', 'no', '–', '–'],
		},
	},
	chat: {
		dialects: ['openai', 'vllm-omni', 'sglang', 'localai', 'ollama', 'llamacpp'],
		rows: {
			'streamed answers': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'documents, as text': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'unconverted files (`files`)': ['yes', '–', '–', '–', '–', '–'],
			'images (`images`)': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'images by URL (`pictureUrls`)': ['yes', 'yes', 'yes', 'yes', '–', 'yes'],
			'audio (`audio`)': ['yes', 'yes', '–', 'yes', '–', 'yes'],
			'`tools`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`tool_choice: "none"`': ['yes', 'yes', 'yes', 'yes', 'here', 'yes'],
			'`tool_choice: "required"`': ['yes', 'yes', 'yes', 'yes', '400', 'yes'],
			'`tool_choice` with a name': ['yes', 'yes', 'yes', 'yes', '400', 'here'],
			'`parallel_tool_calls: false`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`response_format: json_object`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`response_format: json_schema`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`max_completion_tokens`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`temperature`, `top_p`, penalties': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`stop`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`seed`': ['yes', 'yes', 'yes', 'yes', 'yes', 'yes'],
			'`reasoning_effort`': ['yes', 'yes', 'yes', 'warning', 'yes', 'warning'],
		},
	},
	image: {
		dialects: ['openai', 'vllm-omni', 'sglang', 'localai', 'sdcpp'],
		rows: {
			'image generation': ['yes', 'yes', 'yes', 'yes', 'yes'],
			'image edits': ['yes', 'yes', 'yes', '400', 'yes'],
			'image edits with a mask': ['yes', 'yes', '400', 'yes', 'yes'],
			'several input images': ['yes', 'yes', 'yes', '400', 'yes'],
			'WebP as input': ['yes', 'yes', 'yes', 'yes', 'here'],
			'`partial_images`': ['yes', 'no', 'no', 'no', 'no'],
			'`n` in one call': ['yes', 'here', 'here', 'here', 'here'],
			'`size`': ['yes', 'yes', 'yes', 'yes', 'yes'],
			'`output_format`, `output_compression`': ['yes', 'here', 'here', 'here', 'here'],
			'`quality`': ['yes', 'warning', 'warning', 'warning', 'warning'],
			'`background: transparent`': ['yes', '400', 'yes', '400', '400'],
			'`moderation`': ['yes', 'warning', 'warning', 'warning', 'warning'],
			'`input_fidelity`': ['yes', 'no', 'no', 'no', 'no'],
			'`num_inference_steps`': ['warning', 'yes', 'yes', 'yes', 'yes'],
			'`style`': ['warning', 'warning', 'warning', 'warning', 'warning'],
			'equal requests get equal images': ['no', 'yes', 'yes', 'yes', 'yes'],
		},
	},
	speech: {
		dialects: ['openai', 'vllm-omni', 'localai', 'ollama'],
		rows: {
			'`mp3`': ['yes', 'yes', 'yes', 'here'],
			'`opus`': ['yes', 'yes', 'yes', 'here'],
			'`aac`': ['yes', 'here', 'yes', 'here'],
			'`flac`': ['yes', 'yes', 'yes', 'here'],
			'`wav`': ['yes', 'yes', 'yes', 'yes'],
			'`pcm`': ['yes', 'yes', 'here', 'here'],
			'`speed`': ['yes', 'yes', 'yes', 'yes'],
			'`instructions`': ['yes', 'yes', 'warning', 'warning'],
		},
	},
	video: {
		dialects: ['openai', 'vllm-omni', 'sglang', 'localai'],
		rows: {
			'`prompt`, `seconds`, `size`': ['yes', 'yes', 'yes', 'yes'],
			'`input_reference`': ['yes', 'yes', 'yes', 'yes'],
			'equal requests get equal videos': ['no', 'yes', 'yes', 'yes'],
			progress: ['yes', 'yes', 'yes', 'no'],
			'deletion stops the work': ['yes', 'yes', 'yes', 'here'],
			'work continues after a restart of Plinth': ['yes', 'yes', 'yes', 'no'],
		},
	},
} as const satisfies Record<string, FeatureTable>;

/** All pairs of a feature and a dialect, for `test.each`. */
export function cellsOf(kind: keyof typeof features): readonly (readonly [feature: string, dialect: string, Cell])[] {
	const { dialects, rows }: FeatureTable = features[kind];
	return Object.entries(rows).flatMap(([feature, cells]) =>
		dialects.map((dialect, index) => [feature, dialect, cells[index] ?? '–'] as const),
	);
}
