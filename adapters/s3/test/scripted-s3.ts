import { createHash } from 'node:crypto';
import { once as emitted } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request, as a script receives it. */
export interface S3Request {
	readonly method: string;
	/** The key below the bucket, decoded. */
	readonly key: string;
	readonly query: URLSearchParams;
	readonly body: Buffer;
	readonly headers: IncomingMessage['headers'];
}

/**
 * Handles a request in place of the server and returns true if it did. `serve` applies the normal behaviour, and writes
 * the response to `into` if given.
 */
export type Script = (request: S3Request, res: ServerResponse, serve: (into?: ServerResponse) => void) => boolean;

interface StoredObject {
	readonly bytes: Buffer;
	readonly type: string;
	readonly meta: Record<string, string>;
}

/** A small S3 server in memory. It checks no signatures, and its script can inject faults. */
export async function scriptedS3() {
	const objects = new Map<string, StoredObject>();
	const uploads = new Map<string, { key: string; initiated: string; like: StoredObject; parts: Buffer[] }>();
	const received: S3Request[] = [];
	const state = { script: undefined as Script | undefined };
	const server = createServer(async (req, res) => {
		const url = new URL(req.url ?? '', 'http://s3');
		const chunks: Buffer[] = [];
		try {
			for await (const chunk of req) chunks.push(chunk);
		} catch {
			return;
		}
		const request: S3Request = {
			method: req.method ?? '',
			key: decodeURIComponent(url.pathname.split('/').slice(2).join('/')),
			query: url.searchParams,
			body: Buffer.concat(chunks),
			headers: req.headers,
		};
		received.push(request);
		const serve = (into = res) => void answer(request, into, objects, uploads);
		if (!state.script?.(request, res, serve)) serve();
	});
	await emitted(server.listen(0, '127.0.0.1'), 'listening');
	return {
		endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		objects,
		uploads,
		requests: received,
		/** Sets the script for later requests. */
		play(script: Script | undefined) {
			state.script = script;
			received.length = 0;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

export type ScriptedS3 = Awaited<ReturnType<typeof scriptedS3>>;

/** Applies a script to the first matching request only. */
export function once(isMeant: (request: S3Request) => boolean, script: Script): Script {
	let isDone = false;
	return (request, res, serve) => {
		if (isDone || !isMeant(request)) return false;
		isDone = true;
		return script(request, res, serve);
	};
}

/** The server applies the request, but its response is lost. */
export const lost: Script = (_request, res, serve) => {
	serve(new ServerResponse(res.req));
	res.socket?.resetAndDestroy();
	return true;
};

/** An error response of S3. */
export function refuse(res: ServerResponse, status: number, code: string, more = ''): true {
	res.writeHead(status, { 'content-type': 'application/xml' });
	res.end(`<Error><Code>${code}</Code><Message>This is ${code}.</Message>${more}</Error>`);
	return true;
}

type Objects = Map<string, StoredObject>;
type Uploads = Map<string, { key: string; initiated: string; like: StoredObject; parts: Buffer[] }>;

function answer(
	{ method, key, query, body, headers }: S3Request,
	res: ServerResponse,
	objects: Objects,
	uploads: Uploads,
) {
	const upload = uploads.get(query.get('uploadId') ?? '');
	const like = objectOf(body, headers);
	if (method === 'GET' && query.has('uploads')) return xml(res, listUploads(uploads));
	if (method === 'GET' && key === '') return xml(res, listObjects(objects, query.get('prefix') ?? ''));
	if (method === 'POST' && query.has('delete')) {
		for (const [, name = ''] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) objects.delete(name);
		return xml(res, '<DeleteResult/>');
	}
	if (method === 'POST' && query.has('uploads')) {
		const id = String(uploads.size + 1);
		uploads.set(id, { key, initiated: new Date().toISOString(), like, parts: [] });
		return xml(res, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
	}
	if (query.has('uploadId') && !upload) return refuse(res, 404, 'NoSuchUpload');
	if (method === 'PUT' && upload) {
		upload.parts[Number(query.get('partNumber')) - 1] = body;
		return res.writeHead(200, { etag: tagOf(body) }).end();
	}
	if (method === 'POST' && upload) {
		uploads.delete(query.get('uploadId') ?? '');
		const bytes = Buffer.concat(upload.parts);
		objects.set(key, { ...upload.like, bytes });
		return xml(res, `<CompleteMultipartUploadResult><ETag>${tagOf(bytes)}</ETag></CompleteMultipartUploadResult>`);
	}
	if (method === 'DELETE') {
		if (upload) uploads.delete(query.get('uploadId') ?? '');
		else objects.delete(key);
		return res.writeHead(204).end();
	}
	if (method === 'PUT') {
		objects.set(key, like);
		return res.writeHead(200, { etag: tagOf(body) }).end();
	}
	const found = objects.get(key);
	if (!found && key !== '') return method === 'HEAD' ? res.writeHead(404).end() : refuse(res, 404, 'NoSuchKey');
	return send(res, method, found ?? like, headers.range);
}

function send(res: ServerResponse, method: string, { bytes, type, meta }: StoredObject, range: string | undefined) {
	const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
	if (start !== undefined && Number(start) >= bytes.length) return refuse(res, 416, 'InvalidRange');
	const part = start === undefined ? bytes : bytes.subarray(Number(start), Number(end) + 1);
	res.writeHead(start === undefined ? 200 : 206, {
		etag: tagOf(bytes),
		'content-type': type,
		'content-length': part.length,
		...meta,
		...(start !== undefined && {
			'content-range': `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}`,
		}),
	});
	return res.end(method === 'HEAD' ? undefined : part);
}

function objectOf(bytes: Buffer, headers: IncomingMessage['headers']): StoredObject {
	const meta = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
	return {
		bytes,
		type: headers['content-type'] ?? '',
		meta: Object.fromEntries(meta.map(([name, value]) => [name, String(value)])),
	};
}

function listObjects(objects: Objects, prefix: string): string {
	const found = [...objects].filter(([key]) => key.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
	const contents = found.map(
		([key, { bytes }]) => `<Contents><Key>${key}</Key><Size>${bytes.length}</Size></Contents>`,
	);
	return `<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`;
}

function listUploads(uploads: Uploads): string {
	const found = [...uploads].map(
		([id, { key, initiated }]) =>
			`<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
	);
	return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${found.join('')}</ListMultipartUploadsResult>`;
}

function xml(res: ServerResponse, text: string) {
	return res.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
}

/** The ETag of these bytes. */
export function tagOf(bytes: Buffer): string {
	return `"${createHash('md5').update(bytes).digest('hex')}"`;
}
