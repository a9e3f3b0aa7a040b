import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const goodRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The id that a client sent, when it is well-formed; otherwise a fresh one. */
export function requestIdOf(req: IncomingMessage): string {
	const sent = req.headers['x-request-id'];
	return typeof sent === 'string' && goodRequestId.test(sent) ? sent : newRequestId();
}

const idBytes = 16;
/** Random bytes for many ids: each trip to the system's source costs more than all of an id. */
const idPool = Buffer.alloc(256 * idBytes);
let idPoolUsed = idPool.length;

/** A fresh request id. */
export function newRequestId(): string {
	if (idPoolUsed === idPool.length) {
		randomFillSync(idPool);
		idPoolUsed = 0;
	}
	idPoolUsed += idBytes;
	return `req_${idPool.toString('hex', idPoolUsed - idBytes, idPoolUsed)}`;
}
