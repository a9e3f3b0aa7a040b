import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import OpenAI from 'openai';

const { WEBHOOK_SECRET, PORT = '9000' } = process.env;
const { webhooks } = new OpenAI({ apiKey: 'not needed', webhookSecret: WEBHOOK_SECRET });

const server = createServer(async (request, response) => {
	try {
		const event = await webhooks.unwrap(await text(request), request.headers);
		console.log(`${event.type} ${JSON.stringify(event.data)}`);
		response.writeHead(204).end();
	} catch {
		response.writeHead(400).end();
	}
});
server.listen(Number(PORT), '127.0.0.1', () => {
	console.log(`Receiving at http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
