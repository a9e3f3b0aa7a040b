import { onTestFinished } from 'vitest';
import { SocketDispatcher } from '../../src/upstream/socket/dispatcher.ts';
import { Told } from './told.ts';

const headers = ['content-type', 'application/json'];

/** A dispatcher for the length of a test. */
export function to(origin: string): SocketDispatcher {
	const dispatcher = new SocketDispatcher(origin);
	onTestFinished(() => dispatcher.destroy());
	return dispatcher;
}

/** What is not the same in all requests. */
export interface Sent {
	readonly body?: string | undefined;
	readonly with?: readonly string[] | undefined;
}

/** Sends a request. */
export function send<H extends Told>(dispatcher: SocketDispatcher, told: H, sent: Sent = {}): H {
	const { body = '{}', with: own = headers } = sent;
	const request = { origin: '', path: '/v1/x', method: 'POST', headers: own } as const;
	dispatcher.dispatch({ ...request, body: Buffer.from(body) }, told);
	return told;
}

/** Sends a request and waits for the answer. */
export function ask(dispatcher: SocketDispatcher, sent?: Sent): Promise<Told> {
	return send(dispatcher, new Told(), sent).over;
}
