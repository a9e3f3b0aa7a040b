import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeModel, floats, integers, type Port, type TinyModel } from './onnx.ts';

/** Samples per second of all tiny voices. */
export const sampleRate = 16_000;
/** Samples per token at normal speed. */
export const samplesPerToken = 800;

const scalar = (name: string): Port => ({ name, type: 'float', dims: [1] });

/** A VITS model: each token is 50 ms of a tone, whose pitch identifies the speaker. */
export function vits(metadata: Readonly<Record<string, string | number>> = {}): TinyModel {
	return {
		inputs: [
			{ name: 'x', type: 'int64', dims: [1, 'tokens'] },
			{ name: 'x_length', type: 'int64', dims: [1] },
			scalar('noise_scale'),
			scalar('length_scale'),
			scalar('noise_scale_w'),
			{ name: 'sid', type: 'int64', dims: [1] },
		],
		outputs: [{ name: 'y', type: 'float', dims: [1, 1, 'samples'] }],
		constants: {
			perToken: floats([samplesPerToken]),
			pitch: floats([(2 * Math.PI * 200) / sampleRate]),
			one: floats([1]),
			zero: floats([0], []),
			step: floats([1], []),
			loudness: floats([0.5]),
			axis: integers([0]),
			shape: integers([1, 1, -1]),
		},
		operations: [
			{ op: 'Cast', from: ['x_length'], to: 'tokens', attributes: { to: 1 } },
			{ op: 'Mul', from: ['tokens', 'perToken'], to: 'plain' },
			{ op: 'Mul', from: ['plain', 'length_scale'], to: 'length' },
			{ op: 'Squeeze', from: ['length', 'axis'], to: 'end' },
			{ op: 'Range', from: ['zero', 'end', 'step'], to: 'at' },
			{ op: 'Cast', from: ['sid'], to: 'speaker', attributes: { to: 1 } },
			{ op: 'Add', from: ['speaker', 'one'], to: 'factor' },
			{ op: 'Mul', from: ['factor', 'pitch'], to: 'turn' },
			{ op: 'Mul', from: ['at', 'turn'], to: 'phase' },
			{ op: 'Sin', from: ['phase'], to: 'wave' },
			{ op: 'Mul', from: ['wave', 'loudness'], to: 'quiet' },
			{ op: 'Reshape', from: ['quiet', 'shape'], to: 'y' },
		],
		metadata: {
			model_type: 'vits',
			comment: 'tiny',
			sample_rate: sampleRate,
			n_speakers: 3,
			language: 'English',
			frontend: 'characters',
			add_blank: 0,
			use_eos_bos: 0,
			...metadata,
		},
	};
}

/** The tokens of a voice with one token per letter: each line has a character and its number. */
export const letters = [...' abcdefghijklmnopqrstuvwxyz.,!?'].map((letter, at) => `${letter} ${at}\n`).join('');

/** Writes the files of a folder, by path. */
export async function writeFolder(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
	for (const [name, content] of Object.entries(files)) {
		await mkdir(join(folder, name, '..'), { recursive: true });
		await writeFile(join(folder, name), content);
	}
}

/** Writes a VITS voice of three speakers. */
export async function writeVits(folder: string, metadata?: Readonly<Record<string, string | number>>): Promise<void> {
	await writeFolder(folder, { 'model.onnx': encodeModel(vits(metadata)), 'tokens.txt': letters });
}

/** Characters of English phonemes as espeak-ng writes them, each with a number. */
const phonemes = [..."_^$ !'(),-.:;?abcdefhijklmnoprstuvwxzæðŋɐɑɒɔəɚɛɜɡɪɹɾʃʊʌʒˈˌː͡θᵻ"];
const phonemeTokens = phonemes.map((phoneme, at) => `${phoneme} ${at}\n`).join('');
const styleLength = 8;

/** A voice whose style vector sets the pitch, as in Kokoro and Kitten. */
function styled(family: 'kokoro' | 'kitten'): TinyModel {
	const { operations, constants } = vits();
	const unchanged = operations.filter(({ to }) => !['tokens', 'length', 'speaker', 'y'].includes(to));
	const pitch = [
		{ op: 'Shape', from: ['tokens'], to: 'size' },
		{ op: 'Gather', from: ['size', 'second'], to: 'count' },
		{ op: 'Cast', from: ['count'], to: 'many', attributes: { to: 1 } },
		{ op: 'Mul', from: ['many', 'perToken'], to: 'normal' },
		{ op: 'Div', from: ['normal', 'speed'], to: 'length' },
		{ op: 'ReduceMax', from: ['style'], to: 'speaker', attributes: { keepdims: 0 } },
	];
	return {
		inputs: [
			{ name: 'tokens', type: 'int64', dims: [1, 'n'] },
			{ name: 'style', type: 'float', dims: [1, styleLength] },
			scalar('speed'),
		],
		outputs: [{ name: 'audio', type: 'float', dims: ['samples'] }],
		constants: { ...constants, second: integers([1]), flat: integers([-1]) },
		operations: [
			...pitch,
			...unchanged.filter(({ to }) => to !== 'plain'),
			{ op: 'Reshape', from: ['quiet', 'flat'], to: 'audio' },
		],
		metadata: {
			model_type: family === 'kitten' ? 'kitten-tts' : 'kokoro',
			language: 'English',
			has_espeak: 1,
			sample_rate: sampleRate,
			version: 1,
			voice: 'en-us',
			n_speakers: 2,
			speaker_names: 'ada,bo',
			style_dim: family === 'kitten' ? `1,${styleLength}` : `510,1,${styleLength}`,
		},
	};
}

/** Writes a Kokoro or Kitten voice of two speakers, whose phonemes come from a copy of espeak-ng's data. */
export async function writeStyled(
	folder: string,
	family: 'kokoro' | 'kitten',
	changes: Readonly<Record<string, string | number>> = {},
): Promise<void> {
	const perSpeaker = (family === 'kitten' ? 1 : 510) * styleLength;
	const styles = new Float32Array(2 * perSpeaker).fill(1, perSpeaker);
	const model = styled(family);
	await writeFolder(folder, {
		'model.onnx': encodeModel({ ...model, metadata: { ...model.metadata, ...changes } }),
		'voices.bin': new Uint8Array(styles.buffer),
		'tokens.txt': phonemeTokens,
	});
}

/** The metadata of a Piper voice: its phonemes come from espeak-ng, and its graph has three scales in one input. */
export const piperMetadata = { comment: 'piper', frontend: '', has_espeak: 1, voice: 'en-us' };

/** Writes a Piper voice of three speakers. Its JSON file names two of them. */
export async function writePiper(folder: string): Promise<void> {
	const model = vits(piperMetadata);
	const scales: Port = { name: 'scales', type: 'float', dims: [3] };
	const [x, length, , , , sid] = model.inputs;
	await writeFolder(folder, {
		'en_US-tiny.onnx': encodeModel({
			...model,
			inputs: [x, length, scales, sid].filter((port) => port !== undefined),
			constants: { ...model.constants, tempo: integers([1]) },
			operations: [{ op: 'Gather', from: ['scales', 'tempo'], to: 'length_scale' }, ...model.operations],
		}),
		'en_US-tiny.onnx.json': JSON.stringify({ speaker_id_map: { ada: 0, bo: 2 } }),
		'tokens.txt': phonemeTokens,
	});
}

/** Writes a Matcha voice with a vocoder: 80 bands of silence, and a tone of 50 ms for each token. */
export async function writeMatcha(folder: string): Promise<void> {
	const { operations, constants, metadata } = vits({ ...piperMetadata, comment: 'tiny', n_speakers: 1 });
	const bands = 80;
	const tone = operations.filter(({ to }) => ['end', 'at', 'phase', 'wave', 'quiet'].includes(to));
	const acoustic: TinyModel = {
		inputs: [
			{ name: 'x', type: 'int64', dims: [1, 'n'] },
			{ name: 'x_length', type: 'int64', dims: [1] },
			scalar('noise_scale'),
			scalar('length_scale'),
		],
		outputs: [{ name: 'mel', type: 'float', dims: [1, bands, 'frames'] }],
		constants: { head: integers([1, bands]), silence: floats([0]) },
		operations: [
			{ op: 'Cast', from: ['x_length'], to: 'tokens', attributes: { to: 1 } },
			{ op: 'Mul', from: ['tokens', 'length_scale'], to: 'length' },
			{ op: 'Cast', from: ['length'], to: 'frames', attributes: { to: 7 } },
			{ op: 'Concat', from: ['head', 'frames'], to: 'shape', attributes: { axis: 0 } },
			{ op: 'Expand', from: ['silence', 'shape'], to: 'mel' },
		],
		metadata: { ...metadata, model_type: 'matcha-tts', jieba: 0, num_ode_steps: 1, pad_id: 0 },
	};
	const vocoder: TinyModel = {
		inputs: [{ name: 'mel', type: 'float', dims: [1, bands, 'frames'] }],
		outputs: [{ name: 'audio', type: 'float', dims: [1, 'samples'] }],
		constants: { ...constants, third: integers([2]), row: integers([1, -1]), turn: constants.pitch ?? floats([0]) },
		operations: [
			{ op: 'Shape', from: ['mel'], to: 'shape3' },
			{ op: 'Gather', from: ['shape3', 'third'], to: 'count' },
			{ op: 'Cast', from: ['count'], to: 'many', attributes: { to: 1 } },
			{ op: 'Mul', from: ['many', 'perToken'], to: 'length' },
			...tone,
			{ op: 'Reshape', from: ['quiet', 'row'], to: 'audio' },
		],
		metadata: { model_type: 'hifigan' },
	};
	await writeFolder(folder, {
		'model-steps-3.onnx': encodeModel(acoustic),
		'hifigan_v2.onnx': encodeModel(vocoder),
		'tokens.txt': phonemeTokens,
	});
}
