import type { IncomingMessage } from 'node:http';
import type { Clock } from '../contract/ports/clock.ts';
import { httpLimits } from './limits.ts';

/**
 * Watches a body that is being received: each window of 10 seconds must bring 80 KiB or the rest of it. `tooSlow` is
 * called once when one does not. Time in which we have not read what has arrived is ours and does not count. The
 * returned function ends the watch.
 */
export function watchPace(req: IncomingMessage, clock: Clock, tooSlow: () => void): () => void {
	const { socket } = req;
	// Carried by `fetch` there is no connection to watch; its owner has limits of its own.
	if (!socket) return () => {};
	let seen = socket.bytesRead;
	let cancel = clock.after(httpLimits.paceMs, look);
	function look() {
		const brought = socket.bytesRead - seen;
		seen += brought;
		if (brought < httpLimits.paceBytes && req.readableLength === 0 && !req.complete) tooSlow();
		else cancel = clock.after(httpLimits.paceMs, look);
	}
	return () => cancel();
}
