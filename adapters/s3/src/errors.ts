import { defineErrors, errorFrom, isPlinthError, type PlinthError, plinthError } from '@plinth/core';
import { storageError } from '@plinth/toolkit';

/** The coded errors of this adapter. They keep a server from starting. */
export const s3Errors = defineErrors({
	E_S3_ADDRESS: storageError(
		'The S3 server does not respond.',
		'Start it, or correct `endpoint`, its port and its scheme.',
	),
	E_S3_TLS: storageError(
		'No encrypted connection to the S3 server can be made.',
		'Write http:// for a server without TLS; otherwise correct its certificate, or name its CA in NODE_EXTRA_CA_CERTS.',
	),
	E_S3_LOGIN: storageError(
		'The S3 server refuses the credentials, or there are none.',
		'Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the other source of the credentials.',
	),
	E_S3_BUCKET: storageError('There is no such bucket.', 'Create it, or correct `bucket`.'),
	E_S3_REGION: storageError('The bucket is in another region.', 'Correct `region`, or AWS_REGION.'),
	E_S3_CLOCK: storageError(
		'The clocks of this machine and of the S3 server differ.',
		'Set both by NTP: signatures are valid for minutes only.',
	),
	E_S3_RIGHTS: storageError(
		'The credentials lack a right.',
		'Allow s3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, s3:PutObject, ' +
			's3:DeleteObject and s3:AbortMultipartUpload on what is in it.',
	),
});

interface S3Failure {
	readonly name?: string;
	readonly message?: string;
	readonly code?: string;
	readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}

const codeByName: Readonly<Record<string, keyof typeof s3Errors>> = {
	NoSuchBucket: 'E_S3_BUCKET',
	InvalidBucketName: 'E_S3_BUCKET',
	InvalidAccessKeyId: 'E_S3_LOGIN',
	SignatureDoesNotMatch: 'E_S3_LOGIN',
	InvalidToken: 'E_S3_LOGIN',
	ExpiredToken: 'E_S3_LOGIN',
	CredentialsProviderError: 'E_S3_LOGIN',
	AuthorizationHeaderMalformed: 'E_S3_REGION',
	PermanentRedirect: 'E_S3_REGION',
	IllegalLocationConstraintException: 'E_S3_REGION',
	RequestTimeTooSkewed: 'E_S3_CLOCK',
};
const codeByStatus: Readonly<Record<number, keyof typeof s3Errors>> = {
	301: 'E_S3_REGION',
	401: 'E_S3_LOGIN',
	403: 'E_S3_RIGHTS',
	404: 'E_S3_BUCKET',
};
const tlsCode = /^(?:EPROTO|ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO)/;
const fullStoreName = /^(?:QuotaExceeded|XMinioStorageFull|InsufficientStorage|StorageFull)/;

/** Whether the server reports that there is no such object. */
export function isMissing(error: unknown): boolean {
	const { name } = error as S3Failure;
	return name === 'NoSuchKey' || name === 'NotFound';
}

/** Whether the server reports that the range is outside of the object. */
export function isOutside(error: unknown): boolean {
	return (error as S3Failure).name === 'InvalidRange' || statusOf(error) === 416;
}

/** Converts an error of the SDK to `E_STORE_FULL` or `E_STORE_UNAVAILABLE`. */
export function toStoreError(error: unknown): PlinthError {
	if (isPlinthError(error)) return error;
	const cause = withoutSecrets(error);
	if (fullStoreName.test(cause.name) || statusOf(error) === 507) return plinthError('E_STORE_FULL', { cause });
	const message = `The request to S3 failed (${cause.name}).`;
	return plinthError('E_STORE_UNAVAILABLE', { message, cause });
}

/** Converts an error of the SDK to an error of the boot, with a remedy. `place` names server and bucket. */
export function toBootError(error: unknown, place: string): PlinthError {
	if (isPlinthError(error)) return error;
	const cause = withoutSecrets(error);
	const status = statusOf(error) ?? 0;
	const isTls = tlsCode.test((error as S3Failure).code ?? '') || /wrong version number/.test(cause.message);
	const code = isTls ? 'E_S3_TLS' : (codeByName[cause.name] ?? codeByStatus[status] ?? 'E_S3_ADDRESS');
	// Without `cause`, because the boot report would repeat its message.
	return errorFrom(s3Errors, code, { message: `${place}: ${cause.message}` });
}

/** Copies an error. Errors of the SDK contain signed text and signatures, which must not be logged with a cause. */
function withoutSecrets(error: unknown): Error {
	const { name = 'Error', message, code, $metadata } = error as S3Failure;
	const cause = new Error(message || code || name);
	cause.name = name === 'Error' && code ? code : name;
	return Object.assign(cause, { status: $metadata?.httpStatusCode, request_id: $metadata?.requestId });
}

function statusOf(error: unknown): number | undefined {
	return (error as S3Failure).$metadata?.httpStatusCode;
}
