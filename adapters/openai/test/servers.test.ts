import { eventually } from '@plinth/testing';
import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';
import { answer, textPart } from './chat-calls.ts';
import { type Cell, cellsOf } from './features.ts';
import { failureOf, modelOf } from './harness.ts';
import {
	callModel,
	isSupported,
	type Kind,
	rejectedParam,
	run,
	speech,
	speechReply,
	wav,
	workingHandler,
	yesIfAllKinds,
} from './kinds.ts';
import { colors, imageRequest, inputOf, make } from './pictures.ts';
import { rawBody } from './raw-body.ts';
import { chatModel, imageModel, speechModel } from './scripted-models.ts';
import { chatOf, imageModelOf, images, noIfRejected, videoModelOf, yesIf } from './servers.ts';
import { bytes, cutAfter, failure, type Handler, hangUp, json, scripted, silent, sse } from './upstream.ts';
import { attempt, mp4, record } from './videos.ts';

const picture = await inputOf(images, colors(8, 4, 2));
const tool = { name: 'a', isStrict: false };
/** For each feature: the kind of model that it needs, and the check of its support by a dialect. */
const probes: Readonly<Record<string, readonly [Kind | undefined, (dialect: string) => Promise<Cell>]>> = {
	chat: [
		'chat',
		async (dialect) => {
			const { model } = await chatOf(dialect);
			const events = await answer(model);
			return yesIf(events.some((event) => event.type === 'text' && event.text === 'lo.'));
		},
	],
	'chat, streamed': [
		'chat',
		async (dialect) => {
			let end = () => {};
			const upstream = await scripted((_, res) => {
				const chunk = { choices: [{ delta: { content: 'Hel' }, finish_reason: null }] };
				res.writeHead(200, { 'content-type': 'text/event-stream' });
				res.write(`data: ${JSON.stringify(chunk)}\n\n`);
				end = () => res.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n');
			});
			const { baseURL } = upstream;
			const model = await modelOf(openai.chat({ baseURL, dialect } as never));
			const events = model
				.stream(
					{
						messages: [{ role: 'user', content: [textPart('Hi.')] }],
						tools: [],
						toolChoice: 'auto',
						parallelToolCalls: true,
						format: { type: 'text' },
						stop: [],
					},
					{ ...run(), seed: 1 },
				)
				[Symbol.asyncIterator]();
			// The server sends the end after the client has read the beginning.
			const { value: first } = await events.next();
			end();
			await events.next();
			return yesIf(first?.type === 'text');
		},
	],
	tools: [
		'chat',
		async (dialect) => {
			const { model, said } = await chatOf(dialect);
			await answer(model, { tools: [tool] });
			return yesIf(JSON.stringify(said().tools).includes('"name":"a"'));
		},
	],
	'JSON by a schema': [
		'chat',
		async (dialect) => {
			const { model, said } = await chatOf(dialect);
			const schema = { type: 'object' };
			await answer(model, { format: { type: 'schema', name: 'r', schema, isStrict: true } });
			return yesIf(JSON.stringify(said().response_format).includes('"json_schema"'));
		},
	],
	'files, as text': [
		'chat',
		async (dialect) => {
			const { model, said } = await chatOf(dialect);
			const document = { type: 'document', text: 'The report.' } as never;
			await answer(model, { messages: [{ role: 'user', content: [document] }] });
			return yesIf(JSON.stringify(said().messages).includes('The report.'));
		},
	],
	'images in chats': [
		'chat',
		async (dialect) => {
			const { model, said } = await chatOf(dialect, { images: true });
			const image = { mediaType: 'image/png', source: Buffer.from('png') };
			const content = [{ type: 'image', detail: 'auto', image } as const];
			await answer(model, { messages: [{ role: 'user', content }] });
			return yesIf(JSON.stringify(said().messages).includes('data:image/png;base64,'));
		},
	],
	'image generation': [
		'image',
		async (dialect) => {
			const { model } = await imageModelOf(dialect);
			return yesIf((await make(model, imageRequest())).images.length === 1);
		},
	],
	'image edits': [
		'image',
		async (dialect) => {
			const { model } = await imageModelOf(dialect);
			return noIfRejected(make(model, { ...imageRequest(), images: [picture], fidelity: 'low' }));
		},
	],
	'image edits with a mask': [
		'image',
		async (dialect) => {
			const { model, upstream } = await imageModelOf(dialect);
			// The plugin rejects masks because of the abilities of the model.
			if (model.abilities?.mask === false) return 'no';
			await make(model, { ...imageRequest(), images: [picture], mask: picture, fidelity: 'low' });
			const form = upstream.requests[0]?.form;
			return yesIf(form?.has('mask') === true || form?.has('mask_image') === true);
		},
	],
	'partial images': [
		'image',
		async (dialect) => {
			const { model, upstream } = await imageModelOf(dialect);
			await make(model, imageRequest(), { partials: 1 });
			return yesIf(upstream.requests[0]?.json.partial_images === 1);
		},
	],
	'speech in compressed formats': [
		'speech',
		async (dialect) => {
			const upstream = await scripted(speechReply);
			const model = await modelOf(openai.speech({ baseURL: upstream.baseURL, dialect } as never));
			await model.speak({ ...speech, format: 'mp3' }, run());
			return yesIf(upstream.requests[0]?.json.response_format === 'mp3');
		},
	],
	'speech, streamed': [
		'speech',
		async (dialect) => {
			const upstream = await scripted((_, res) => res.writeHead(200, { 'content-type': 'audio/wav' }).write(wav));
			const model = await modelOf(openai.speech({ baseURL: upstream.baseURL, dialect } as never));
			const audio = await model.speak(speech, run());
			// The server never ends.
			for await (const chunk of audio.body) return yesIf(chunk.includes(7));
			return 'no';
		},
	],
	'transcription, streamed': [
		'transcription',
		async (dialect) => {
			let isStreamed = false;
			const handler: Handler = (request, res) => {
				isStreamed = request.form.get('stream') === 'true';
				sse({ type: 'transcript.text.done', text: 'Hi.' })(request, res);
			};
			await callModel.transcription(dialect)(handler);
			return yesIf(isStreamed);
		},
	],
	videos: [
		'video',
		async (dialect) => {
			const { model } = await videoModelOf(dialect);
			return yesIf(mp4.equals(await attempt(model).bytes()));
		},
	],
	'progress of videos': [
		'video',
		async (dialect) => {
			const poll = [record('in_progress', { progress: 40 }), record('completed')];
			const { model } = await videoModelOf(dialect, { poll });
			const work = attempt(model);
			await work.result;
			return yesIf(work.progress.includes(0.4));
		},
	],
	'videos can be stopped': [
		'video',
		async (dialect) => {
			const isHeld = dialect === 'localai';
			const { model, upstream } = await videoModelOf(
				dialect,
				isHeld ? { create: silent } : { poll: [record('in_progress')] },
			);
			if (!isHeld) {
				await model.cancel?.('up_1');
				return yesIf(upstream.requests.some(({ method }) => method === 'DELETE'));
			}
			const work = attempt(model);
			await eventually('the server works', () => upstream.requests.length === 1);
			work.stop.abort(new Error('deleted'));
			await eventually('the connection is closed', () => upstream.aborted.count === 1);
			return 'yes';
		},
	],
	'videos continue after a restart': [
		'video',
		async (dialect) => {
			const { model, upstream } = await videoModelOf(dialect);
			const { checkpoints, result } = attempt(model);
			await result;
			if (checkpoints.length === 0) return 'no';
			const before = upstream.requests.length;
			await attempt(model, {}, { resume: checkpoints[0] as string }).bytes();
			return yesIf(upstream.requests.slice(before).every(({ method }) => method === 'GET'));
		},
	],
	'interrupted video downloads resume': [
		'video',
		async (dialect) => {
			const half = cutAfter('video/mp4', mp4.subarray(0, 10));
			const { model, state, upstream } = await videoModelOf(dialect, {
				content: [half, bytes(mp4.subarray(10), 'video/mp4', 206)],
			});
			if (dialect === 'localai') {
				state.create = json({ data: [{ url: `${upstream.baseURL}/videos/up_1/content` }] });
			}
			const made = await attempt(model)
				.bytes()
				.catch(() => undefined);
			return yesIf(made?.equals(mp4) ?? false);
		},
	],
	'refusals name the parameter': [
		undefined,
		(dialect) =>
			yesIfAllKinds(dialect, async (kind) => {
				const param = rejectedParam[kind];
				const refusal = failure(400, { message: 'This will not do.', param });
				const failed = await failureOf(callModel[kind](dialect)(refusal));
				return failed.status === 400 && failed.param === param;
			}),
	],
	'429, 5xx and lost connections are retried': [
		undefined,
		(dialect) =>
			yesIfAllKinds(dialect, async (kind) => {
				const faults = [failure(429, {}), failure(503, {}), failure(500, {})];
				// A video that is started twice is billed twice.
				if (kind === 'chat' || kind === 'speech') faults.push(hangUp);
				const handler: Handler = (request, res) => (faults.shift() ?? workingHandler[kind](dialect))(request, res);
				await callModel[kind](dialect)(handler, { retries: 4 });
				return faults.length === 0;
			}),
	],
	'chat requests pass through': [
		'chat',
		async (dialect) => {
			const { model } = await chatModel({ dialect });
			const body = { model: 'mine', messages: [{ role: 'user', content: 'Hi.' }] };
			return yesIf(model.forward?.(rawBody(body)) !== undefined);
		},
	],
	'image requests pass through': [
		'image',
		async (dialect) => {
			const { model } = await imageModel({ dialect });
			return yesIf(model.forward?.(rawBody({ model: 'mine', prompt: 'a cat' })) !== undefined);
		},
	],
	'speech requests pass through': [
		'speech',
		async (dialect) => {
			const { model } = await speechModel({ dialect });
			const body = { model: 'mine', input: 'Hi.', voice: 'ann', response_format: 'wav' };
			return yesIf(model.forward?.(rawBody(body)) !== undefined);
		},
	],
};

describe('a server', () => {
	test.each(cellsOf('all'))('supports %s with %s: %s', async (feature, dialect, expected) => {
		const [kind, probe] = probes[feature] ?? [];
		const isKnown = kind === undefined || isSupported(kind, dialect);
		expect(isKnown ? await probe?.(dialect) : '–').toBe(expected);
	});
});
