import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPlinth, type PlinthProvider } from '@plinth/ai-sdk/provider';
import {
	generateImage,
	generateObject,
	generateSpeech,
	generateText,
	experimental_generateVideo as generateVideo,
	experimental_getVideoStatus as getVideoStatus,
	experimental_startVideo as startVideo,
	streamText,
	transcribe,
} from 'ai';
import { z } from 'zod';

/** Uses all functions of the AI SDK on a Plinth server, and writes the results into `folder`. */
export async function askForAll(plinth: PlinthProvider, folder: string): Promise<readonly string[]> {
	await mkdir(folder, { recursive: true });
	const lines = [...(await words(plinth)), ...(await pictures(plinth, folder)), ...(await sound(plinth, folder))];
	return [...lines, ...(await videos(plinth, folder))];
}

const report = 'Report of March.\n\nThe invoice of the printer is 240 EUR. The rent of the office is 900 EUR.';

async function words(plinth: PlinthProvider): Promise<string[]> {
	const model = plinth('builtin-chat');
	const file = { type: 'file', data: Buffer.from(report), mediaType: 'text/plain', filename: 'report.txt' } as const;
	const question = [{ type: 'text', text: 'How much is the rent of the office?' } as const, file];
	const messages = [{ role: 'user', content: question } as const];

	const { text, usage } = await generateText({ model, messages });
	const streamed = streamText({ model, messages });
	let pieces = 0;
	for await (const _piece of streamed.textStream) pieces++;
	const schema = z.object({ rent: z.number(), currency: z.string() });
	const { object } = await generateObject({ model, schema, messages });
	return [
		`generateText: ${text.length} characters, ${usage.totalTokens} tokens`,
		`streamText: ${pieces} pieces, ${(await streamed.text).length} characters`,
		`generateObject: ${Object.keys(object).join(', ')}`,
	];
}

async function pictures(plinth: PlinthProvider, folder: string): Promise<string[]> {
	const model = plinth.imageModel('builtin-image');
	const { image } = await generateImage({ model, prompt: 'A lake at dusk', size: '1024x1024', seed: 7 });
	const images = [image.uint8Array];
	const edited = await generateImage({ model, prompt: { text: 'grayscale', images } });
	await writeFile(join(folder, 'image.png'), image.uint8Array);
	await writeFile(join(folder, 'edited.png'), edited.image.uint8Array);
	return [
		`generateImage: ${image.mediaType}, ${image.uint8Array.length} bytes`,
		`generateImage (edit): ${edited.image.mediaType}, ${edited.image.uint8Array.length} bytes`,
	];
}

/** Transcribes only if the server has a transcription model. */
async function sound(plinth: PlinthProvider, folder: string): Promise<string[]> {
	const model = plinth.speechModel('builtin-speech');
	const { audio } = await generateSpeech({ model, text: 'The lake is quiet.', voice: 'nova', outputFormat: 'wav' });
	await writeFile(join(folder, 'speech.wav'), audio.uint8Array);
	const lines = [`generateSpeech: ${audio.mediaType}, ${audio.uint8Array.length} bytes`];
	const transcriber = process.env.PLINTH_TRANSCRIPTION_MODEL;
	if (!transcriber) return lines;
	return [...lines, await dictation(plinth, transcriber, join(folder, 'speech.wav'))];
}

/** Transcribes an audio file and returns one line of output. */
export async function dictation(plinth: PlinthProvider, modelId: string, file: string): Promise<string> {
	const model = plinth.transcriptionModel(modelId);
	const providerOptions = { plinth: { language: 'en' } };
	const { text, segments } = await transcribe({
		model,
		audio: await readFile(file),
		timestampGranularities: ['segment'],
		providerOptions,
	});
	return `transcribe: "${text}", ${segments.length} segments`;
}

async function videos(plinth: PlinthProvider, folder: string): Promise<string[]> {
	const model = plinth.videoModel('builtin-video');
	const options = { model, resolution: '640x480', duration: 2 } as const;
	const poll = { intervalMs: 500 };
	const { video } = await generateVideo({ ...options, prompt: 'A lake at dusk', poll });
	await writeFile(join(folder, 'video.mp4'), video.uint8Array);

	// The operation of a started video is JSON: another process can ask for its status.
	const started = await startVideo({ ...options, prompt: 'A lake at dawn' });
	const operation = JSON.parse(JSON.stringify(started.operation));
	let status = await getVideoStatus(model, { operation });
	while (status.status === 'pending') {
		await new Promise((resolve) => setTimeout(resolve, poll.intervalMs));
		status = await getVideoStatus(model, { operation });
	}
	return [
		`generateVideo: ${video.mediaType}, ${video.uint8Array.length} bytes`,
		`startVideo, getVideoStatus: ${status.status}`,
	];
}

if (import.meta.main) {
	const { PLINTH_URL: baseURL = 'http://127.0.0.1:8080/v1', PLINTH_API_KEY: apiKey = '' } = process.env;
	const lines = await askForAll(createPlinth({ baseURL, apiKey }), 'ai-sdk-output');
	console.log(lines.join('\n'));
}
