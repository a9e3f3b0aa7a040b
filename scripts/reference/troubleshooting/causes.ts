/** Causes and cures of errors. Without a cure, the page shows the remedy of the error table. */
export type Cause = readonly [cause: string, cure?: string];

/** A section of the page, with causes by the names of errors. */
export interface CauseSection {
	readonly title: string;
	readonly causes: Readonly<Record<string, Cause>>;
}

/** Errors that clients receive while a server runs. */
export const causesOfAnswers: readonly CauseSection[] = [
	{
		title: 'Keys and routes',
		causes: {
			E_KEY_MISSING: ['The request has no API key, or the header has another form.'],
			E_KEY_INVALID: [
				'The server does not know the key, the key has expired, or the two headers have different keys.',
				'Check the key with `plinth keys list`. Send it in one header only.',
			],
			E_SCOPE_MISSING: ['The key is valid, but it lacks the scope that the message names.'],
			E_HOST_STRANGER: ['The function passed to `fromHost` returned nothing for this request.'],
			E_HOST_PRINCIPAL: ['The function passed to `fromHost` returned a value of another shape.'],
			E_RATE_LIMITED: ['One address sent many wrong keys within a minute.'],
			E_ROUTE_NOT_FOUND: ['The path has a spelling mistake, or the config leaves out the plugin of this route.'],
			E_METHOD_NOT_ALLOWED: ['The path exists, but not for this HTTP method.', 'Use a method of the `allow` header.'],
			E_OPERATION_UNSUPPORTED: [
				'Plinth does not offer this route, or this server has no model for it.',
				'Read the message. For transcriptions, add a model such as `openai.transcription`.',
			],
		},
	},
	{
		title: 'Parameters and bodies',
		causes: {
			E_VALUE_MISSING: [
				'The request leaves out a parameter without a default.',
				'Send the parameter named in `param`.',
			],
			E_VALUE_INVALID: [
				'The value is outside the allowed list or range, or has a wrong form.',
				'Read the message: it lists the allowed values.',
			],
			E_VALUE_TYPE: [
				'The value is, for example, a string where the route expects a number.',
				'Send the type that the message names.',
			],
			E_VALUE_UNKNOWN: [
				'The route does not know this parameter. Often the name is misspelled.',
				'Correct or remove it.',
			],
			E_VALUE_UNSUPPORTED: [
				'The route knows the value, but the chosen model does not support it.',
				'Choose another value or another model.',
			],
			E_STRING_TOO_LONG: ['The string is longer than the limit of the message.', 'Shorten the string.'],
			E_STRING_TOO_SHORT: ['The string is empty or too short.', 'Send a longer string.'],
			E_INTEGER_TOO_LARGE: ['The number is above the limit of the message.', 'Send a smaller number.'],
			E_NUMBER_TOO_LARGE: ['The number is above the limit of the message.', 'Send a smaller number.'],
			E_NUMBER_TOO_SMALL: ['The number is below the limit of the message.', 'Send a larger number.'],
			E_INTEGER_TOO_SMALL: ['The number is below the limit of the message.', 'Send a larger number.'],
			E_BODY_MALFORMED: [
				'The body is not valid JSON, its form data is incomplete, or it does not match its content type.',
				'Validate the JSON. With form data, let the client set the `content-type` header.',
			],
			E_MEDIA_TYPE_UNSUPPORTED: [
				'The route accepts JSON or form data, and the request has another `content-type`.',
				'Send `content-type: application/json`, or form data if the route accepts files.',
			],
			E_BODY_TOO_LARGE: [
				'The body, one file or one field is larger than its limit.',
				'Send less. [Limits](limits.md) lists the limit of each route.',
			],
			E_RANGE_NOT_SATISFIABLE: [
				'The `Range` header starts after the end of the content.',
				'Request a range inside the length in `content-range`.',
			],
			E_PRECONDITION_FAILED: [
				'The content changed since the client read its `etag` or `last-modified`.',
				'Get the content again without `if-match` and `if-unmodified-since`.',
			],
			E_IDEMPOTENCY_MISMATCH: ['An earlier request had the same `Idempotency-Key` and another body.'],
			E_CONTEXT_TOO_LONG: ['The messages and documents together have more tokens than the context of the model.'],
			E_MODERATION_BLOCKED: [
				'The upstream model refused the prompt or an input image.',
				'Change the prompt or the image.',
			],
		},
	},
	{
		title: 'Models',
		causes: {
			E_MODEL_NOT_FOUND: ['No model of this route has this id or alias.'],
			E_MODEL_FAILED: [
				'The model threw an error, or its result had a wrong form.',
				'Look up the request id (`x-request-id`) in the server log. It has the reason.',
			],
			E_MODEL_BUSY: [
				'As many calls as `concurrency` and `waiting` allow run or wait, or the upstream responded with 429.',
				'Try again later. As the operator, raise `concurrency` or add a `fallback`.',
			],
			E_MODEL_UNAVAILABLE: [
				'The connection to the upstream failed, the upstream responded with 5xx, or the circuit of the model is open.',
				'Check that the upstream runs and that `baseURL` is right. The log has the exact reason.',
			],
			E_MODEL_TIMEOUT: [
				'The model did not respond within `timeoutSeconds`.',
				'Request less, or raise `timeoutSeconds` in the config of the model.',
			],
		},
	},
	{
		title: 'Jobs and videos',
		causes: {
			E_JOB_NOT_FOUND: [
				'The id is wrong, belongs to another tenant, or the record was removed.',
				'Check the id and the key.',
			],
			E_JOB_CANCELLED: [
				'A user deleted or cancelled the job before it ended.',
				'Submit it again if you still need it.',
			],
			E_JOB_TIMEOUT: ['The job ran longer than `jobs.maxRunMs`.', 'Request less, or raise `jobs.maxRunMs`.'],
			E_JOB_ATTEMPTS: ['The processes that ran the job stopped or lost their lease too often.'],
			E_JOB_NO_WORKER: ['Another process accepted the job, but no process with its model runs.'],
			E_QUEUE_FULL: ['The tenant has as many unfinished jobs as `jobs.maxPendingPerTenant` allows.'],
			E_VIDEO_NOT_FOUND: [
				'The id is wrong, belongs to another tenant, or the video was removed.',
				'Check the id and the key.',
			],
			E_VIDEO_NOT_READY: [
				'The video is still queued or in progress, or it failed.',
				'Poll until `status` is `completed`.',
			],
			E_VIDEO_EXPIRED: ['The time `expires_at` of the video has passed.'],
			E_VIDEO_CONTENT_MISSING: ['The file was removed from the blob store.'],
			E_VIDEO_THUMBNAIL_NOT_FOUND: ['Not every model makes a thumbnail.', 'Download the video itself.'],
			E_VIDEO_LINK_UNKNOWN: ['The signature in the URL is missing or wrong.', 'Use the whole URL of the response.'],
			E_VIDEO_LINK_EXPIRED: ['The link is older than `urlMinutes` of the video plugin.'],
			E_VIDEO_SPRITESHEET_NOT_FOUND: ['Not every model makes a spritesheet.', 'Download the video itself.'],
			E_VIDEO_NOT_COMPLETED: ['A remix starts from a completed video.', 'Wait until the first video is completed.'],
			E_VIDEO_REFERENCE_EXPIRED: ['Input images are kept only as long as the video.'],
		},
	},
	{
		title: 'Images, files and documents',
		causes: {
			E_IMAGE_UNREADABLE: ['The file has another format, or it is damaged.', 'Send a PNG, JPEG or WebP file.'],
			E_IMAGE_TOO_LARGE: ['The image has too many pixels, or it takes too long to decode.', 'Scale it down first.'],
			E_IMAGE_NOT_FOUND: ['The signature in the URL is missing or wrong.', 'Use the whole URL of the response.'],
			E_IMAGE_EXPIRED: ['The link is older than `urlMinutes`.'],
			E_IMAGES_FILTERED: ['The content filter of the model withheld all results.'],
			E_FILE_NOT_FOUND: [
				'The id is wrong, belongs to another tenant, or the file has expired.',
				'Upload the file again.',
			],
			E_FILE_CONTENT_MISSING: ['The bytes were removed from the blob store.'],
			E_FILE_QUOTA_EXCEEDED: ['The files of the tenant reach `quotaBytes` or `maxFiles`.'],
			E_DOCUMENT_UNSUPPORTED: ['The document reader has no parser for this format.'],
			E_DOCUMENT_UNREADABLE: ['The file is damaged, or its content does not match its name.'],
			E_DOCUMENT_ENCRYPTED: ['The author of the document set a password.'],
			E_DOCUMENT_TOO_LARGE: ['The document, unpacked, needs more memory or space than a document may have.'],
			E_DOCUMENT_TIMEOUT: ['Reading took longer than the time of a document, often because of OCR.'],
		},
	},
	{
		title: 'The server',
		causes: {
			E_REQUEST_TIMEOUT: ['The client sent headers or body too slowly.', 'Check the connection, then send it again.'],
			E_DEADLINE: ['The handler needed longer than the time of its route.', 'Request less at once.'],
			E_TENANT_BUSY: ['The tenant has `server.limits.requestsPerTenant` requests or `streamsPerTenant` streams open.'],
			E_OVERLOADED: ['The requests of all tenants reach a limit of the server, such as memory for bodies.'],
			E_NOT_READY: ['A host passed a request to an app that failed to start.', 'Read the log of the server.'],
			E_STOPPING: ['The server received a stop signal and only finishes running work.'],
			E_STORE_UNAVAILABLE: [
				'The database or the folder of a store cannot be read or written.',
				'Check `GET /readyz`: it names the store. Then check its disk, its permissions and its process.',
			],
			E_STORE_DIFFERS: [
				'`plinth copy` finds something in the target that is not in the source, or has another content there.',
				'Empty the target and run the same command again.',
			],
			E_STORE_FULL: ['The disk of a store has no space left.', 'Free some space on the disk.'],
			E_S3_ADDRESS: ['No server responds at the `endpoint` of `s3Blobs`, or it is not an S3 server.'],
			E_S3_TLS: ['The `endpoint` starts with `https:`, and its server has no TLS or a certificate of an unknown CA.'],
			E_S3_LOGIN: ['The AWS variables or files have a wrong key or secret, or none.'],
			E_S3_BUCKET: ['The name of the bucket has a spelling mistake, or the bucket does not exist.'],
			E_S3_REGION: ['The bucket is in another AWS region than the config says.'],
			E_S3_CLOCK: ['One of the two clocks is wrong by more than a quarter of an hour.'],
			E_S3_RIGHTS: ['The policy of the user or of the bucket forbids listing.'],
			E_SQLITE_NEWER: ['A newer release opened the database earlier and changed its schema.'],
			E_POSTGRES_ADDRESS: ['PostgreSQL is not running, or the URL names another host or port.'],
			E_POSTGRES_LOGIN: ['The URL has another user or password than the server, or pg_hba.conf refuses this host.'],
			E_POSTGRES_DATABASE: ['The URL names a database that the server does not have.'],
			E_POSTGRES_TLS: ['The server has no TLS, demands it, or has a certificate that is not trusted.'],
			E_POSTGRES_RIGHTS: ['The user may not create the schema, or does not own its tables.'],
			E_POSTGRES_VERSION: ['The server is PostgreSQL 14 or older.'],
			E_POSTGRES_ENCODING: ['The database was created with another encoding than UTF8.'],
			E_POSTGRES_NEWER: ['A newer release changed the schema, and this one is too old for it.'],
			E_POSTGRES_OLDER: ['The schema has not been migrated, and `migrate: false` prevents a migration at the start.'],
			E_INTERNAL: ['Plinth or a plugin has a defect.'],
		},
	},
	{
		title: 'Webhooks',
		causes: {
			E_WEBHOOK_ENDPOINT_NOT_FOUND: [
				'The id is wrong or belongs to another tenant.',
				'List the endpoints to see their ids.',
			],
			E_WEBHOOK_DELIVERY_NOT_FOUND: [
				'The id is wrong, or the delivery was removed.',
				'List the deliveries to see their ids.',
			],
			E_WEBHOOK_ENDPOINTS_FULL: ['One tenant may have 100 endpoints.'],
			E_WEBHOOK_UNREACHABLE: [
				'The receiver refused the connection, did not respond in time, or has a private address.',
				'Start the receiver. In a private network, set `allowPrivate` of the webhooks plugin.',
			],
			E_WEBHOOK_ENDPOINT_DELETED: ['The endpoint was deleted after the event.', 'Create a new endpoint.'],
			E_WEBHOOK_ENDPOINT_DISABLED: ['A user disabled the endpoint, or it failed for days.'],
		},
	},
];
