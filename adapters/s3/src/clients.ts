import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { contentMd5 } from './digests.ts';
import type { S3Options } from './options.ts';

/** In milliseconds: for connecting, and for requests without a deadline of their own, such as one part of an upload. */
const timeouts = { connect: 800, request: 120_000 } as const;

/** Each attempt to reach an unreachable server takes up to `timeouts.connect`. */
const maxAttempts = 2;

/** The connections to a server. */
export interface Clients {
	/** For short requests and for uploads. */
	readonly work: S3Client;
	/** For downloads. They have separate connections, because slow readers occupy them for long. */
	readonly downloads: S3Client;
	/** Signs the URLs that clients get; undefined unless downloads are redirected. */
	readonly signer: S3Client | undefined;
	close(): void;
}

/** Opens no connection yet. */
export function createClients(options: S3Options): Clients {
	const base = clientConfig(options, options.endpoint);
	const work = new S3Client({ ...base, requestHandler: handler(50, timeouts.request) });
	addContentMd5(work);
	// The headers of a download have a deadline of their own. The client decides how fast it reads the body.
	const downloads = new S3Client({ ...base, requestHandler: handler(Number.POSITIVE_INFINITY, 0) });
	const signer =
		options.downloads === 'redirect'
			? new S3Client(clientConfig(options, options.publicEndpoint ?? options.endpoint))
			: undefined;
	return {
		work,
		downloads,
		signer,
		close: () => [work, downloads, signer].forEach((client) => void client?.destroy()),
	};
}

/** Adds the header to deletions of many keys, for which the SDK sends only a newer kind of checksum. */
function addContentMd5(client: S3Client): void {
	client.middlewareStack.add(
		(next, { commandName }) =>
			(args) => {
				const request = args.request as { body?: unknown; headers: Record<string, string> };
				const digest = commandName === 'DeleteObjectsCommand' && contentMd5(String(request.body));
				if (digest) request.headers['content-md5'] = digest;
				return next(args);
			},
		{ step: 'build', priority: 'low', name: 'contentMd5' },
	);
}

function clientConfig(options: S3Options, endpoint: string | undefined): S3ClientConfig {
	const { accessKeyId, secretAccessKey, pathStyle = options.endpoint !== undefined } = options;
	const region = options.region ?? (endpoint && (process.env.AWS_REGION || 'us-east-1'));
	return {
		maxAttempts,
		logger: { debug() {}, info() {}, warn() {}, error() {} },
		forcePathStyle: pathStyle,
		expectContinueHeader: false,
		...(region && { region }),
		// Servers other than AWS refuse the checksums of the SDK, or store them as a part of the blob.
		...(endpoint && {
			endpoint,
			requestChecksumCalculation: 'WHEN_REQUIRED',
			responseChecksumValidation: 'WHEN_REQUIRED',
		}),
		...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
	};
}

function handler(maxSockets: number, requestTimeout: number): NodeHttpHandler {
	const agent = { keepAlive: true, maxSockets, maxFreeSockets: 50 };
	return new NodeHttpHandler({
		httpAgent: agent,
		httpsAgent: agent,
		connectionTimeout: timeouts.connect,
		requestTimeout,
		socketTimeout: 0,
		throwOnRequestTimeout: true,
	});
}
