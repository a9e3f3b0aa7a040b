import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ForwardController, ForwardHandler } from '../../../src/contract/ports/forward.ts';
import { auth, eventually, listening, rawConnection, request } from '../support.ts';
import { forwarded, forwarding } from './forward-support.ts';

const body = JSON.stringify({ model: 'small' });
const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
const toClient = request('POST /v1/chat/completions', { ...auth, ...headers, connection: 'close' }, body);

/** The calls of a dispatcher. */
const steps = {
	start: (handler: ForwardHandler, controller: ForwardController) => handler.onRequestStart(controller, {}),
	announced: (handler: ForwardHandler, controller: ForwardController) => handler.onResponseStart(controller, 103, {}),
	head: (handler: ForwardHandler, controller: ForwardController) =>
		handler.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' }),
	headOfFour: (handler: ForwardHandler, controller: ForwardController) =>
		handler.onResponseStart(controller, 200, {
			'content-type': 'application/json',
			'content-length': '4',
		}),
	badHead: (handler: ForwardHandler, controller: ForwardController) =>
		handler.onResponseStart(controller, 200, { 'content-type': 'application/json\r\nx: y' }),
	refusal: (handler: ForwardHandler, controller: ForwardController) =>
		handler.onResponseStart(controller, 500, { 'X-A': ['1', '2'], 'x-b': undefined }),
	data: (handler: ForwardHandler, controller: ForwardController) =>
		handler.onResponseData(controller, Buffer.from('half')),
	end: (handler: ForwardHandler, controller: ForwardController) => handler.onResponseEnd(controller, {}),
	error: (handler: ForwardHandler, controller: ForwardController) =>
		handler.onResponseError(controller, new Error('broken')),
	errorWithoutController: (handler: ForwardHandler) => handler.onResponseError(null as never, new Error('broken')),
} as const;

const eventNames = [...Object.keys(steps), 'leave', 'stop', 'wait'] as const;

test('every request ends once, for any order of dispatcher calls', async () => {
	let script: readonly string[] = [];
	let endCount = 0;
	let leave = () => {};
	const { port, http, clock, lines } = await listening([
		forwarding((raw, call) => {
			const dispatch = (_: unknown, handler: ForwardHandler): boolean => {
				let isAborted = false;
				const controller: ForwardController = {
					pause() {},
					resume() {},
					abort(reason) {
						// Like undici, which reports an abort at once.
						if (isAborted) return;
						isAborted = true;
						handler.onResponseError(controller, reason);
					},
				};
				void play(handler, controller);
				return true;
			};
			return call.forward(forwarded({ origin: 'http://upstream', dispatcher: { dispatch } }, raw), () => {
				endCount += 1;
			});
		}),
	]);

	async function play(handler: ForwardHandler, controller: ForwardController): Promise<void> {
		for (const step of script) {
			if (step === 'leave') leave();
			else if (step === 'stop') http.pipeline.abortAll();
			else if (step === 'wait') await new Promise((resolve) => setImmediate(resolve));
			else steps[step as keyof typeof steps](handler, controller);
		}
	}

	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom(...eventNames), { maxLength: 10 }), async (order) => {
			script = order;
			endCount = 0;
			const raw = await rawConnection(port);
			leave = () => raw.socket.destroy();
			await raw.write(toClient);
			await eventually(() => http.pipeline.inFlight === 1 || raw.socket.closed);
			// An upstream that is still silent is aborted.
			await eventually(async () => {
				await clock.advance(60_000);
				return http.pipeline.inFlight === 0;
			});
			await raw.closed;
			expect(endCount).toBe(1);
			const isSuccess = raw.text.startsWith('HTTP/1.1 200');
			if (isSuccess && /\r\n0\r\n\r\n$/.test(raw.text)) expect(order).toContain('end');
			// Its length shows that it is complete.
			if (isSuccess && /\r\n\r\nhalf$/.test(raw.text)) expect(order).toContain('data');
		}),
		{ numRuns: 150 },
	);
	expect(lines.filter(({ level, fields }) => level === 'error' && !fields.code)).toEqual([]);
}, 20_000);
