import type { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { Agent, type Dispatcher } from 'undici';

/**
 * The smallest gateway on Koa and undici: it reads the body, forwards it and pipes the response back. It has no keys,
 * checks, limits, metering or log. No server on these libraries can cost less, so the bench compares Plinth with it.
 * `PORT` and `UPSTREAM` come from the environment.
 */

const { PORT, UPSTREAM = '' } = process.env;
const agent = new Agent();

const app = new Koa();
app.use(async (ctx) => {
	if (ctx.method === 'GET') {
		ctx.body = 'ready';
		return;
	}
	ctx.respond = false;
	pass(ctx.req, ctx.res, await bodyOf(ctx.req));
});
app.listen(Number(PORT), '127.0.0.1');

function bodyOf(req: IncomingMessage): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		req.on('data', (chunk: Buffer) => chunks.push(chunk));
		req.on('end', () => resolve(Buffer.concat(chunks)));
		req.on('error', reject);
	});
}

function pass(req: IncomingMessage, res: ServerResponse, body: Buffer): void {
	const { 'content-type': type = '', authorization = '' } = req.headers;
	const headers = ['content-type', type, 'authorization', authorization];
	const handler: Dispatcher.DispatchHandler = {
		onRequestStart(controller) {
			res.on('close', () => {
				if (!res.writableFinished) controller.abort(new Error('The client has disconnected.'));
			});
			res.on('drain', () => controller.resume());
		},
		onResponseStart(_, status, told) {
			const list: string[] = [];
			for (const name of ['content-type', 'content-length']) {
				const value = told[name];
				if (typeof value === 'string') list.push(name, value);
			}
			res.writeHead(status, list);
		},
		onResponseData(controller, chunk) {
			if (!res.write(chunk)) controller.pause();
		},
		onResponseEnd() {
			res.end();
		},
		onResponseError() {
			res.destroy();
		},
	};
	agent.dispatch({ origin: UPSTREAM, path: req.url ?? '/', method: 'POST', headers, body }, handler);
}
