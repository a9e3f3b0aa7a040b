import { writeFile } from 'node:fs/promises';

/** The properties of the model that a test may change. */
export interface TinyModel {
	/** The length of the embedding vectors, which determines the size of the file. */
	readonly width?: number;
	/** The architecture in the header. */
	readonly architecture?: string;
	/** The context length in the header, in tokens. */
	readonly context?: number;
	/** The bias of the end token. At 0 the model generates some hundred tokens. */
	readonly endBias?: number;
	/** `general.type`, absent by default. */
	readonly type?: string;
	/** False to omit the byte tokens. Native code then aborts for characters that have no token. */
	readonly hasBytes?: boolean;
}

type Value =
	| readonly ['u32' | 'f32', number]
	| readonly ['string', string]
	| readonly ['strings', readonly string[]]
	| readonly ['f32s' | 'i32s', readonly number[]];

interface Tensor {
	readonly name: string;
	/** The row length comes first. */
	readonly shape: readonly number[];
	readonly values: Float32Array;
}

/** The value types of a header, by their number in the format. */
const typeIds = { u32: 4, i32: 5, f32: 6, string: 8, array: 9 } as const;
const alignment = 32;
const layers = 2;
const heads = 4;

const template =
	"{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}" +
	"{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/**
 * Writes a small llama model with random weights of a fixed seed. It generates mostly printable ASCII. The engine
 * aborts without the byte tokens.
 */
export async function writeTinyModel(file: string, options: TinyModel = {}): Promise<void> {
	const { width = 64, endBias = 0, hasBytes = true } = options;
	const tokens = vocabulary(endBias).filter(({ type }) => hasBytes || type !== 6);
	const tensors = weights(tokens, width);
	const header = bytesOf(metadata(tokens, width, options), tensors);
	const parts: Uint8Array[] = [header, padding(header.byteLength)];
	for (const { values } of tensors) {
		const bytes = new Uint8Array(values.buffer);
		parts.push(bytes, padding(bytes.byteLength));
	}
	await writeFile(file, Buffer.concat(parts));
}

interface Token {
	readonly text: string;
	/** 1 normal, 2 unknown, 3 control, 6 byte. */
	readonly type: 1 | 2 | 3 | 6;
	/** Added to the random weights. */
	readonly bias: number;
}

function vocabulary(endBias: number): readonly Token[] {
	const control = (text: string, bias = -8): Token => ({ text, type: 3, bias });
	const bytes = Array.from({ length: 256 }, (_, byte): Token => {
		const text = `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
		return { text, type: 6, bias: byte === 10 ? 1 : -4 };
	});
	const printable = Array.from({ length: 95 }, (_, index): Token => {
		const text = String.fromCharCode(32 + index);
		// With this bias, strings, lists and objects of grammars end early.
		return { text: text === ' ' ? '▁' : text, type: 1, bias: '"}]'.includes(text) ? 2 : 0 };
	});
	return [
		{ text: '<unk>', type: 2, bias: -8 },
		control('<s>'),
		control('</s>', endBias),
		control('<|im_start|>'),
		control('<|im_end|>', endBias),
		...bytes,
		...printable,
	];
}

function metadata(tokens: readonly Token[], width: number, options: TinyModel) {
	const { architecture = 'llama', context = 4096, type } = options;
	const of = (name: string) => `${architecture}.${name}`;
	const values: Record<string, Value> = {
		'general.architecture': ['string', architecture],
		...(type === undefined ? {} : { 'general.type': ['string', type] as const }),
		[of('context_length')]: ['u32', context],
		[of('embedding_length')]: ['u32', width],
		[of('block_count')]: ['u32', layers],
		[of('feed_forward_length')]: ['u32', width * 2],
		[of('attention.head_count')]: ['u32', heads],
		[of('attention.layer_norm_rms_epsilon')]: ['f32', 1e-5],
		[of('rope.dimension_count')]: ['u32', width / heads],
		'tokenizer.ggml.model': ['string', 'llama'],
		'tokenizer.ggml.tokens': ['strings', tokens.map(({ text }) => text)],
		'tokenizer.ggml.scores': ['f32s', tokens.map((_, index) => -index)],
		'tokenizer.ggml.token_type': ['i32s', tokens.map(({ type }) => type)],
		'tokenizer.ggml.unknown_token_id': ['u32', 0],
		'tokenizer.ggml.bos_token_id': ['u32', 1],
		'tokenizer.ggml.eos_token_id': ['u32', 4],
		'tokenizer.chat_template': ['string', template],
	};
	return values;
}

/**
 * The first value of each embedding vector is constant, and no layer changes it. So the first column of the output
 * weights is a bias for each token, whatever the context.
 */
function weights(tokens: readonly Token[], width: number): readonly Tensor[] {
	const random = gaussian(7);
	const tensor = (name: string, columns: number, rows: number, first: (row: number) => number | undefined): Tensor => {
		const values = Float32Array.from({ length: columns * rows }, () => random() / Math.sqrt(columns));
		for (let row = 0; row < rows; row++) values[row * columns] = first(row) ?? (values[row * columns] as number);
		return { name, shape: [columns, rows], values };
	};
	const plain = (name: string, columns: number, rows: number) => tensor(name, columns, rows, () => undefined);
	const keepsFirst = (name: string, columns: number, rows: number) => {
		const made = plain(name, columns, rows);
		made.values.fill(0, 0, columns);
		return made;
	};
	const norm = (name: string): Tensor => ({ name, shape: [width], values: new Float32Array(width).fill(1) });
	const blocks = Array.from({ length: layers }, (_, index) => `blk.${index}`).flatMap((block) => [
		norm(`${block}.attn_norm.weight`),
		plain(`${block}.attn_q.weight`, width, width),
		plain(`${block}.attn_k.weight`, width, width),
		plain(`${block}.attn_v.weight`, width, width),
		keepsFirst(`${block}.attn_output.weight`, width, width),
		norm(`${block}.ffn_norm.weight`),
		plain(`${block}.ffn_gate.weight`, width, width * 2),
		plain(`${block}.ffn_up.weight`, width, width * 2),
		keepsFirst(`${block}.ffn_down.weight`, width * 2, width),
	]);
	const embedding = tensor('token_embd.weight', width, tokens.length, () => 1);
	return [
		{ ...embedding, values: embedding.values.map((value, at) => (at % width === 0 ? 1 : value * 8)) },
		...blocks,
		norm('output_norm.weight'),
		tensor('output.weight', width, tokens.length, (row) => tokens[row]?.bias),
	];
}

function bytesOf(values: Readonly<Record<string, Value>>, tensors: readonly Tensor[]): Uint8Array {
	const parts: Buffer[] = [];
	const u32 = (value: number) => parts.push(numbers(4, (bytes) => bytes.writeUInt32LE(value)));
	const u64 = (value: number) => parts.push(numbers(8, (bytes) => bytes.writeBigUInt64LE(BigInt(value))));
	const string = (text: string) => {
		const bytes = Buffer.from(text);
		u64(bytes.byteLength);
		parts.push(bytes);
	};
	const value = (type: number, item: number) =>
		parts.push(numbers(4, (bytes) => (type === typeIds.f32 ? bytes.writeFloatLE(item) : bytes.writeInt32LE(item))));
	parts.push(Buffer.from('GGUF'));
	u32(3);
	u64(tensors.length);
	u64(Object.keys(values).length);
	for (const [name, [kind, given]] of Object.entries(values)) {
		string(name);
		const isList = kind.endsWith('s');
		const type = typeIds[(isList ? kind.slice(0, -1) : kind) as keyof typeof typeIds];
		if (isList) u32(typeIds.array);
		u32(type);
		const items = (isList ? given : [given]) as readonly (string | number)[];
		if (isList) u64(items.length);
		for (const item of items) typeof item === 'string' ? string(item) : value(type, item);
	}
	let offset = 0;
	for (const { name, shape, values } of tensors) {
		string(name);
		u32(shape.length);
		for (const length of shape) u64(length);
		u32(0);
		u64(offset);
		offset += Math.ceil(values.byteLength / alignment) * alignment;
	}
	return Buffer.concat(parts);
}

function numbers(size: number, write: (bytes: Buffer) => void): Buffer {
	const bytes = Buffer.alloc(size);
	write(bytes);
	return bytes;
}

const padding = (length: number) => new Uint8Array((alignment - (length % alignment)) % alignment);

/** Normally distributed numbers: sums of four uniform ones from a linear congruential generator. */
function gaussian(seed: number): () => number {
	let state = seed;
	const uniform = () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32 - 0.5;
	};
	return () => (uniform() + uniform() + uniform() + uniform()) * Math.sqrt(3);
}
