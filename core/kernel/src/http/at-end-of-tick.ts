/** What is to be done when the system has been heard. */
let waiting: (() => void)[] = [];

/**
 * Calls `write` in this turn of the event loop, behind all that the connections have brought in it. So the answers of
 * a turn go out one behind the other: a client on the same machine is woken for the first of them and finds the
 * others, and the code that writes stays at hand. At 32 connections a request costs a fifth less than with writes in
 * between (`npm run bench -- gateway`, CPU of the row `chat`).
 */
export function atEndOfTick(write: () => void): void {
	if (waiting.push(write) === 1) setImmediate(writeAll);
}

function writeAll(): void {
	const writes = waiting;
	waiting = [];
	let done = 0;
	try {
		for (const write of writes) {
			done += 1;
			write();
		}
	} finally {
		// One that throws is a fault of ours; the others belong to other clients.
		for (const write of writes.slice(done)) atEndOfTick(write);
	}
}
