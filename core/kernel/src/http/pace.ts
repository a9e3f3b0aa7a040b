import type { IncomingMessage } from 'node:http';
import type { Clock } from '../contract/ports/clock.ts';
import { httpLimits } from './limits.ts';

/**
 * Calls `onTooSlow` once unless each window of 10 seconds brings 80 KiB of a body, or its rest. A window does not count
 * if bytes are unread at its end, because then the server is the slow side. The returned function stops the watch.
 */
export function watchPace(req: IncomingMessage, clock: Clock, onTooSlow: () => void): () => void {
	const { socket } = req;
	// A request from `fetch` has no connection to watch. The server that received it has its own limits.
	if (!socket) return () => {};
	let countedBytes = socket.bytesRead;
	let cancel = clock.after(httpLimits.paceMs, check);
	function check() {
		const receivedBytes = socket.bytesRead - countedBytes;
		countedBytes += receivedBytes;
		if (receivedBytes < httpLimits.paceBytes && req.readableLength === 0 && !req.complete) onTooSlow();
		else cancel = clock.after(httpLimits.paceMs, check);
	}
	return () => cancel();
}
