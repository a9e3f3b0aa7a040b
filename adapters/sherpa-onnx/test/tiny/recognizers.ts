import { encodeModel, floats, integers, type Operation, type Port, type TinyModel } from './onnx.ts';
import { writeFolder } from './voices.ts';

/** The tokens of the tiny SenseVoice model, by number. */
const pieces = ['<blk>', '<|zh|>', '<|en|>', '<|ja|>', '<|NEUTRAL|>', '<|Speech|>', '<|woitn|>', '▁hel', 'lo'];

/** The numbers of the languages of SenseVoice. */
const languages = { lang_auto: 0, lang_zh: 3, lang_en: 4, lang_yue: 7, lang_ja: 11, lang_ko: 12 };

/**
 * A SenseVoice model that transcribes each stretch of sound as `hello`, and silence as nothing. It returns the
 * requested language, or English by default.
 */
export function senseVoice(): TinyModel {
	const size = pieces.length;
	/** One row of logits in which one token is the likeliest. */
	const likely = (piece: number) => pieces.map((_, at) => (at === piece ? 100 : -100));
	const languageRows = Array.from({ length: 16 }, (_, id) => likely(id === 3 ? 1 : id === 11 ? 3 : 2)).flat();
	return {
		inputs: [
			{ name: 'x', type: 'float', dims: [1, 'frames', 560] },
			{ name: 'x_length', type: 'int32', dims: [1] },
			{ name: 'language', type: 'int32', dims: [1] },
			{ name: 'text_norm', type: 'int32', dims: [1] },
		],
		outputs: [{ name: 'logits', type: 'float', dims: [1, 'frames', size] }],
		constants: {
			languageRows: floats(languageRows, [16, size]),
			otherRows: floats([4, 5, 6].flatMap(likely), [1, 3, size]),
			rowShape: integers([1, 1, size]),
			// The first frame of a sound differs from the others: a sound begins with `hel` and continues with `lo`.
			weights: floats(
				pieces.map((_, at) => (at > 6 ? 1 : 0)),
				[1, 1, size],
			),
			edges: floats(
				pieces.map((_, at) => (at === 7 ? 2 : 0)),
				[1, 1, size],
			),
			bias: floats(
				pieces.map((_, at) => (at === 0 ? 0 : at === 7 ? 4 : at === 8 ? 8 : -1_000)),
				[1, 1, size],
			),
			first: integers([0]),
			next: integers([1]),
			last: integers([-1]),
			end: integers([1_000_000]),
			frameAxis: integers([1]),
		},
		operations: [
			{ op: 'Gather', from: ['languageRows', 'language'], to: 'row' },
			{ op: 'Reshape', from: ['row', 'rowShape'], to: 'languageRow' },
			{ op: 'ReduceMean', from: ['x'], to: 'energy', attributes: { axes: [2], keepdims: 1 } },
			{ op: 'Slice', from: ['energy', 'first', 'next', 'frameAxis'], to: 'start' },
			{ op: 'Slice', from: ['energy', 'first', 'last', 'frameAxis'], to: 'body' },
			{ op: 'Concat', from: ['start', 'body'], to: 'before', attributes: { axis: 1 } },
			{ op: 'Sub', from: ['energy', 'before'], to: 'rise' },
			{ op: 'Mul', from: ['energy', 'weights'], to: 'sound' },
			{ op: 'Mul', from: ['rise', 'edges'], to: 'onset' },
			{ op: 'Add', from: ['sound', 'onset'], to: 'heard' },
			{ op: 'Add', from: ['heard', 'bias'], to: 'frames' },
			{ op: 'Concat', from: ['languageRow', 'otherRows', 'frames'], to: 'logits', attributes: { axis: 1 } },
		],
		metadata: {
			model_type: 'sense_voice_ctc',
			comment: 'tiny',
			vocab_size: size,
			blank_id: 0,
			normalize_samples: 1,
			lfr_window_size: 7,
			lfr_window_shift: 6,
			with_itn: 14,
			without_itn: 15,
			...languages,
			neg_mean: Array(560).fill(0).join(','),
			inv_stddev: Array(560).fill(1).join(','),
		},
	};
}

/** Writes the folder of the tiny SenseVoice model. */
export function writeSenseVoice(folder: string): Promise<void> {
	const tokens = pieces.map((piece, at) => `${piece} ${at}\n`).join('');
	return writeFolder(folder, { 'model.onnx': encodeModel(senseVoice()), 'tokens.txt': tokens });
}

/** The token numbers of the tiny Whisper model; timestamps begin after `no_timestamps`. */
const ids = {
	eot: 4,
	sot: 5,
	en: 6,
	de: 7,
	translate: 8,
	transcribe: 9,
	no_speech: 10,
	no_timestamps: 11,
};
const words = [' hello', ' friend', ' hallo', ' freund'];
const vocabulary = ids.no_timestamps + 1 + 1_501;
const contextLength = 32;

/**
 * The decoder of a Whisper model that returns `hello friend`, or `hallo freund` for German without translation. The
 * cache carries the choice. It detects German in every audio.
 */
export function whisperDecoder(): TinyModel {
	const cache = [1, 1, contextLength, 4];
	/** The next token, by position and by request: translation adds 1, German adds 2. */
	const rows = Array.from({ length: contextLength }, (_, place) =>
		[0, 1, 2, 3].map((asked) => {
			const word = asked === 2 ? 2 : 0;
			if (place === 0) return word;
			return place < 5 ? word + 1 : ids.eot;
		}),
	);
	const count = (token: string, to: string): readonly Operation[] => [
		{ op: 'Equal', from: ['tokens', token], to: `${to}Matches` },
		{ op: 'Cast', from: [`${to}Matches`], to: `${to}Numbers`, attributes: { to: 1 } },
		{ op: 'ReduceSum', from: [`${to}Numbers`], to, attributes: { keepdims: 0 } },
	];
	return {
		inputs: [
			{ name: 'tokens', type: 'int64', dims: [1, 'n'] },
			{ name: 'in_n_layer_self_k_cache', type: 'float', dims: cache },
			{ name: 'in_n_layer_self_v_cache', type: 'float', dims: cache },
			{ name: 'n_layer_cross_k', type: 'float', dims: [1, 1, 1, 1] },
			{ name: 'n_layer_cross_v', type: 'float', dims: [1, 1, 1, 1] },
			{ name: 'offset', type: 'int64', dims: [1] },
		],
		outputs: [
			{ name: 'logits', type: 'float', dims: [1, 'n', vocabulary] },
			{ name: 'out_n_layer_self_k_cache', type: 'float', dims: cache },
			{ name: 'out_n_layer_self_v_cache', type: 'float', dims: cache },
		],
		constants: {
			german: integers([ids.de]),
			translate: integers([ids.translate]),
			two: floats([2]),
			rows: integers(rows.flat(), [contextLength * 4]),
			four: integers([4]),
			depth: integers([vocabulary], []),
			scores: floats([0, 10]),
			guess: floats(Array.from({ length: vocabulary }, (_, at) => (at === ids.de ? 2 : at === ids.en ? 1 : 0))),
			one: integers([1]),
			size: integers([vocabulary]),
			zero: floats([0]),
		},
		operations: [
			...count('german', 'isGerman'),
			...count('translate', 'isTranslation'),
			{ op: 'Mul', from: ['isGerman', 'two'], to: 'twice' },
			{ op: 'Add', from: ['twice', 'isTranslation'], to: 'asked' },
			{ op: 'Add', from: ['in_n_layer_self_k_cache', 'asked'], to: 'out_n_layer_self_k_cache' },
			{ op: 'Add', from: ['in_n_layer_self_v_cache', 'zero'], to: 'out_n_layer_self_v_cache' },
			{ op: 'ReduceMax', from: ['out_n_layer_self_k_cache'], to: 'state', attributes: { keepdims: 0 } },
			{ op: 'Cast', from: ['state'], to: 'column', attributes: { to: 7 } },
			{ op: 'Mul', from: ['offset', 'four'], to: 'rowStart' },
			{ op: 'Add', from: ['rowStart', 'column'], to: 'place' },
			{ op: 'Gather', from: ['rows', 'place'], to: 'token' },
			{ op: 'OneHot', from: ['token', 'depth', 'scores'], to: 'certain' },
			{ op: 'Add', from: ['certain', 'guess'], to: 'line' },
			{ op: 'Shape', from: ['tokens'], to: 'shape' },
			{ op: 'Concat', from: ['shape', 'size'], to: 'wanted', attributes: { axis: 0 } },
			{ op: 'Expand', from: ['line', 'wanted'], to: 'logits' },
		],
		metadata: {},
	};
}

/** The encoder of the tiny Whisper model, with the metadata of the whole model. */
export function whisperEncoder(changes: Readonly<Record<string, string | number>> = {}): TinyModel {
	return {
		inputs: [{ name: 'mel', type: 'float', dims: [1, 80, 'frames'] }],
		outputs: [
			{ name: 'n_layer_cross_k', type: 'float', dims: [1, 1, 1, 1] },
			{ name: 'n_layer_cross_v', type: 'float', dims: [1, 1, 1, 1] },
		],
		constants: { shape: integers([1, 1, 1, 1]), axes: integers([0, 1, 2]) },
		operations: [
			{ op: 'ReduceMean', from: ['mel'], to: 'mean', attributes: { keepdims: 1 } },
			{ op: 'Reshape', from: ['mean', 'shape'], to: 'n_layer_cross_k' },
			{ op: 'Reshape', from: ['mean', 'shape'], to: 'n_layer_cross_v' },
		],
		metadata: {
			model_type: 'whisper-tiny',
			n_mels: 80,
			n_text_layer: 1,
			n_text_ctx: contextLength,
			n_text_state: 4,
			n_vocab: vocabulary,
			...ids,
			blank_id: 0,
			is_multilingual: 1,
			sot_sequence: `${ids.sot},${ids.en},${ids.transcribe}`,
			all_language_tokens: `${ids.en},${ids.de}`,
			all_language_codes: 'en,de',
			...changes,
		},
	};
}

/** Writes the folder of the tiny Whisper model. */
export function writeWhisper(folder: string, changes?: Readonly<Record<string, string | number>>): Promise<void> {
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const tokens = [...words, ...Object.keys(ids).map((name) => `<|${name}|>`)];
	return writeFolder(folder, {
		'tiny-encoder.onnx': encodeModel(whisperEncoder(changes)),
		'tiny-decoder.onnx': encodeModel(whisperDecoder()),
		'tiny-tokens.txt': tokens.map((text, at) => `${base64(text)} ${at}\n`).join(''),
	});
}

/** Writes a Whisper model whose encoder fails at each audio. */
export async function writeBrokenWhisper(folder: string): Promise<void> {
	await writeWhisper(folder);
	const encoder = whisperEncoder();
	const broken = { ...encoder, constants: { ...encoder.constants, shape: integers([1, 1, 1, 7]) } };
	await writeFolder(folder, { 'tiny-encoder.onnx': encodeModel(broken) });
}

/** The tokens of the tiny Moonshine model. */
const moonshinePieces = ['<unk>', '<s>', '</s>', '▁good', '▁day'];
/** Samples per step of the model. */
const samplesPerStep = 384;

/** Logits by the number of previous tokens: `good`, `day`, and the end. */
function moonshineDecoder(isFirst: boolean): TinyModel {
	const rows = [0, 3, 4, 2].flatMap((next) => moonshinePieces.map((_, at) => (at === next ? 10 : 0)));
	const state: Port = { name: 'state', type: 'float', dims: [1, 1] };
	return {
		inputs: [
			{ name: 'tokens', type: 'int32', dims: [1, 'n'] },
			{ name: 'encoder_out', type: 'float', dims: [1, 'steps', 1] },
			{ name: 'seq_len', type: 'int32', dims: [1] },
			...(isFirst ? [] : [state]),
		],
		outputs: [
			{ name: 'logits', type: 'float', dims: [1, 1, moonshinePieces.length] },
			{ ...state, name: 'next_state' },
		],
		constants: {
			rows: floats(rows, [4, moonshinePieces.length]),
			shape: integers([1, 1, moonshinePieces.length]),
			one: integers([1], [1, 1]),
		},
		operations: [
			{ op: 'Gather', from: ['rows', 'seq_len'], to: 'row' },
			{ op: 'Reshape', from: ['row', 'shape'], to: 'logits' },
			{ op: 'Cast', from: ['one'], to: 'next_state', attributes: { to: 1 } },
		],
		metadata: {},
	};
}

/** Writes the folder of a Moonshine model of four files, which transcribes every audio as `good day`. */
export function writeMoonshine(folder: string): Promise<void> {
	const steps: Port = { name: 'features', type: 'float', dims: [1, 'steps', 1] };
	const preprocessor: TinyModel = {
		inputs: [{ name: 'audio', type: 'float', dims: [1, 'samples'] }],
		outputs: [steps],
		constants: {
			first: integers([0]),
			end: integers([1_000_000_000]),
			axis: integers([1]),
			step: integers([samplesPerStep]),
			last: integers([2]),
		},
		operations: [
			{ op: 'Slice', from: ['audio', 'first', 'end', 'axis', 'step'], to: 'some' },
			{ op: 'Unsqueeze', from: ['some', 'last'], to: 'features' },
		],
		metadata: {},
	};
	const encoder: TinyModel = {
		inputs: [steps, { name: 'features_len', type: 'int32', dims: [1] }],
		outputs: [{ ...steps, name: 'encoder_out' }],
		constants: { zero: floats([0]) },
		operations: [{ op: 'Add', from: ['features', 'zero'], to: 'encoder_out' }],
		metadata: {},
	};
	return writeFolder(folder, {
		'preprocess.onnx': encodeModel(preprocessor),
		'encode.int8.onnx': encodeModel(encoder),
		'uncached_decode.int8.onnx': encodeModel(moonshineDecoder(true)),
		'cached_decode.int8.onnx': encodeModel(moonshineDecoder(false)),
		'tokens.txt': moonshinePieces.map((piece, at) => `${piece}\t${at}\n`).join(''),
	});
}
