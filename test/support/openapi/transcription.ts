import fc from 'fast-check';
import type { RawClient } from '../client.ts';
import { type Facts, fileValue, isFile } from './facts.ts';
import { fileMark } from './schemas.ts';
import { storeFile } from './stored-files.ts';

const transcribe = 'POST /v1/audio/transcriptions';
const translate = 'POST /v1/audio/translations';

/** A tenth of a second of silence. */
const wav = Buffer.alloc(3_244);
wav.write('RIFF\xa4\x0c\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data\x80\x0c\0\0', 'latin1');

/** Facts of a server with the model `hear-1`. */
export async function transcriptionFacts(client: RawClient) {
	const stored = await storeFile(client, wav);
	const common = {
		response_format: fc.constantFrom('json', 'text', 'srt', 'vtt', 'verbose_json'),
		prompt: fc.constantFrom('', 'Plinth'),
		temperature: fc.constantFrom('0', '0.5', '1'),
	};
	const transcriptionOnly = {
		language: fc.constantFrom('en', 'DE', 'pt-BR'),
		timestamp_granularities: fc.constantFrom(['word'], ['word', 'segment']),
		include: fc.constantFrom(['logprobs']),
		chunking_strategy: fc.constantFrom('auto'),
	};
	const file = fc.constant(fileValue('a.wav', wav, true));
	const combination = (fields: Record<string, fc.Arbitrary<unknown>>) => {
		const model = fc.constant('hear-1');
		const optional = fc.record(fields, { requiredKeys: [] });
		const source = fc.oneof(fc.record({ model, file }), fc.record({ model, file_id: fc.constant(stored) }));
		return fc.tuple(optional, source).map(([options, required]) => ({ ...options, ...required }));
	};
	return {
		known: {
			[`${transcribe} model`]: ['hear-1'],
			[`${translate} model`]: ['hear-1'],
			[`${transcribe} file_id`]: [stored],
			[`${translate} file_id`]: [stored],
		},
		combinations: { [transcribe]: combination({ ...common, ...transcriptionOnly }), [translate]: combination(common) },
		bodyRules: { [transcribe]: isAccepted, [translate]: isAccepted },
	} satisfies Partial<Facts>;
}

/** Whether a body has valid audio and requests a supported response. */
function isAccepted({ file, response_format: format, stream }: Readonly<Record<string, unknown>>): boolean {
	const isAudio = file === undefined || (isFile(file) && Buffer.from(file[fileMark].bytes).equals(wav));
	const isSupportedFormat =
		`${stream}` === 'false' || stream === undefined || ['json', 'text', undefined].includes(format as string);
	return isAudio && isSupportedFormat && format !== 'diarized_json';
}
