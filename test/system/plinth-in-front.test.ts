import { eventually } from '@plinth/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { reportPdf } from '../../cli/src/demo/report-pdf.ts';
import { quoted } from '../clients/chat-suite.ts';
import { bytesOf } from '../clients/images-suite.ts';
import { lines, type SdkClass } from '../clients/sdk.ts';
import { jobEvents } from '../support/job-events.ts';
import { behind, downloaded, finished, probed, underWay, visitPair } from '../support/pair-visit.ts';
import { frontKey } from '../support/plinth-pair.ts';
import { pngSize, solidPng } from '../support/png.ts';
import { readWav } from '../support/wav.ts';

const newest = lines.at(-1)?.OpenAI as SdkClass;

const pdf = fileOf('report.pdf', 'application/pdf', reportPdf());
const note = fileOf('note.txt', 'text/plain', 'The ferry to the island leaves at nine in the morning.');

/** A part of a message that holds a file. */
function fileOf(filename: string, type: string, content: Uint8Array | string) {
	const file_data = `data:${type};base64,${Buffer.from(content).toString('base64')}`;
	return { type: 'file' as const, file: { filename, file_data } };
}

/** A question about a file, to a model of the front. */
function about(model: string, word: string, file: typeof pdf) {
	const text = `Quote the sentence with "${word}".`;
	const content = [file, { type: 'text' as const, text }];
	return { model, messages: [{ role: 'user' as const, content }] };
}

describe('a Plinth whose models are those of another', () => {
	const visit = visitPair(newest);

	describe.each(lines)('answers $name:', ({ name, OpenAI }) => {
		beforeEach(() => {
			visit.client = visit.seen.sdk(OpenAI, frontKey);
		});

		test('a question about a PDF, which it reads itself', async () => {
			const request = about('far-chat', 'reservoir', pdf);
			const { choices, model, usage } = await visit.client.chat.completions.create(request);
			expect(choices[0]?.message.content).toContain('builtin-chat');
			expect(model).toBe('far-chat');
			// The upstream received the text of the file as a part of the message.
			expect(usage?.prompt_tokens).toBeGreaterThan(200);
		});

		test('a question, in pieces', async () => {
			const request = { ...about('far-chat', 'ferry', note), stream: true } as const;
			const pieces: string[] = [];
			const stream = await visit.client.chat.completions.create(request);
			for await (const { choices, model } of stream) {
				pieces.push(choices[0]?.delta.content ?? '');
				expect(model).toBe('far-chat');
			}
			expect(pieces.join('')).toContain('builtin-chat');
			expect(pieces.length).toBeGreaterThan(5);
		});

		test('with a picture of the size that is asked for', async () => {
			const { data } = await visit.client.images.generate({
				model: 'far-image',
				prompt: 'A lighthouse',
				size: '1536x1024',
			});
			expect(pngSize(bytesOf(data?.[0]))).toEqual({ width: 1536, height: 1024 });
		});

		test('with speech in WAV', async () => {
			const answer = await visit.client.audio.speech.create({
				model: 'far-speech',
				voice: 'onyx',
				input: 'Good morning.',
				response_format: 'wav',
			});
			expect(answer.headers.get('content-type')).toBe('audio/wav');
			const wav = readWav(new Uint8Array(await answer.arrayBuffer()));
			expect(wav.seconds).toBeGreaterThan(0.5);
		});

		test('with a video, byte for byte what the upstream made', async () => {
			const prompt = `A kite for ${name}`;
			const { id } = await visit.client.videos.create({
				model: 'far-video',
				prompt,
				seconds: '2' as '4',
				size: '640x480' as '720x1280',
			});
			expect(await finished(visit, id)).toMatchObject({ status: 'completed', progress: 1 });
			expect(await downloaded(visit, id, prompt)).toMatchObject({
				codec_name: 'h264',
				width: 640,
				height: 480,
				nb_read_frames: '48',
			});
			// What is searched behind each test for the ids of the upstream holds those of the front.
			expect(await visit.seen.said()).toContain(id);
		});
	});

	test('passes documents on as they are where its config says so', async () => {
		const request = about('far-reader', 'reservoir', pdf);
		const { choices } = await visit.client.chat.completions.create(request);
		expect(choices[0]?.message.content).toMatch(quoted);
	});

	test('changes pictures', async () => {
		const before = solidPng(640, 480, [20, 120, 220]);
		const { data } = await visit.client.images.edit({
			model: 'far-image',
			prompt: 'Make it black and white',
			image: new File([before], 'sky.png', { type: 'image/png' }),
			size: '1024x1024',
		});
		expect(pngSize(bytesOf(data?.[0]))).toEqual({ width: 1024, height: 1024 });
	});

	test('speaks MP3 unless another format is asked for', async () => {
		const request = { model: 'far-speech', voice: 'nova', input: 'Good morning.' } as const;
		const answer = await visit.client.audio.speech.create(request);
		expect(answer.headers.get('content-type')).toBe('audio/mpeg');
		const mp3 = await probed(visit, 'speech.mp3', new Uint8Array(await answer.arrayBuffer()));
		expect(mp3.codec_name).toBe('mp3');
		expect(Number(mp3.duration)).toBeGreaterThan(0.5);
	});

	test('reads documents without the upstream', async () => {
		const { filename, file_data: url } = pdf.file;
		const path = '/api/attachments/parse';
		const answer = await visit.seen.fetch(`${visit.pair.front.url}${path}`, {
			method: 'POST',
			headers: { authorization: `Bearer ${frontKey}`, 'content-type': 'application/json' },
			body: JSON.stringify({ files: [{ url, filename, media_type: 'application/pdf' }] }),
		});
		expect([answer.status, await answer.text()]).toEqual([
			200,
			expect.stringMatching(/reservoir gave more(?: |\\n)water/),
		]);
		const isIn = (log: string) => log.includes(`"route":"${path}"`);
		await eventually('the front has logged it', () => isIn(visit.pair.front.log()));
		expect(isIn(visit.pair.upstream.log())).toBe(false);
	});

	test('refuses what the upstream refuses, by the name of the parameter', async () => {
		const request = { model: 'far-speech', voice: 'nobody', input: 'Good morning.' };
		await expect(visit.client.audio.speech.create(request)).rejects.toMatchObject({
			status: 400,
			code: 'invalid_value',
			param: 'voice',
		});
	});

	test('stops the work of the upstream when a video is deleted', async () => {
		const prompt = 'A kite that nobody wants';
		const id = await underWay(visit, prompt);
		const theirs = await behind(visit, prompt);
		expect(theirs.status).toBe('in_progress');
		await visit.client.videos.delete(id);
		await expect(visit.client.videos.retrieve(id)).rejects.toMatchObject({ status: 404 });
		await eventually('the upstream has let it go', async () => {
			const { status } = await visit.pair.upstream.client.send(`/v1/videos/${theirs.id}`);
			return status === 404;
		});
	});

	test('answers 503 while the upstream is away, and works as soon as it is back', async () => {
		const { client, pair } = visit;
		const chat = about('far-chat', 'ferry', note);
		await pair.upstream.stop('SIGKILL');
		const waiting = await client.videos.create({ model: 'far-video', prompt: 'A kite that waits' });
		const refused = await Promise.all(
			[
				client.chat.completions.create(chat),
				client.chat.completions.create({ ...chat, stream: true }),
				client.images.generate({ model: 'far-image', prompt: 'A lighthouse' }),
				client.audio.speech.create({ model: 'far-speech', voice: 'nova', input: 'Hello.' }),
			].map((call) => call.catch((error) => error)),
		);
		for (const { status, code, error, headers } of refused) {
			expect([status, code]).toEqual([503, 'model_unavailable']);
			expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type']);
			expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
		}
		await pair.upstream.start();
		const { choices } = await client.chat.completions.create(chat);
		expect(choices[0]?.message.content).toContain('builtin-chat');
		expect(await finished(visit, waiting.id)).toMatchObject({ status: 'completed' });
	});
});

// For half of their time they wait for leases, and for the next look at a server that was away.
describe.concurrent.each(['SIGKILL', 'SIGTERM'] as const)('when %s ends', (signal) => {
	const visit = visitPair(newest);

	test.each([
		['the front', ['front']],
		['the upstream', ['upstream']],
		['both', ['front', 'upstream']],
	] as const)('%s in the middle of a video, it is made once, and whole', { concurrent: false }, async (who, names) => {
		const prompt = `A kite over ${who}`;
		const { pair } = visit;
		const id = await underWay(visit, prompt);
		await Promise.all(names.map((name) => pair[name].stop(signal)));
		await Promise.all(names.map((name) => pair[name].start()));
		expect(await finished(visit, id)).toMatchObject({ status: 'completed', error: null });
		const whole = { codec_name: 'h264', width: 1280, height: 720, nb_read_frames: '192' };
		expect(await downloaded(visit, id, prompt)).toMatchObject(whole);
		const ids = { front: id, upstream: (await behind(visit, prompt)).id };
		for (const name of names) {
			const starts = (await jobEvents(pair[name].dataDir)).filter(
				({ type, jobId }) => type === 'job.started' && jobId === ids[name],
			);
			// It really was in the middle.
			expect(starts.length).toBeGreaterThan(1);
		}
	});
});
