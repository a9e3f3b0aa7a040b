import { z } from 'zod';

const url = z.url({ protocol: /^https?$/, error: 'Write a URL such as https://s3.example.com:8333' });
/** An unset environment variable is an empty text. */
const empty = z.literal('').transform(() => undefined);

/** The options of `s3Blobs`. */
export const s3Options = z.strictObject({
	/** It must exist. */
	bucket: z.string().min(1),
	/** The start of all keys, so that several installations can share a bucket: `production`. */
	prefix: z
		.string()
		.regex(/^[A-Za-z0-9._/-]{0,200}$/, 'Use letters, digits and `._/-`')
		.transform((text) => (text === '' || text.endsWith('/') ? text : `${text}/`))
		.default(''),
	/** By default that of the AWS variables or files; with `endpoint`, `AWS_REGION` or `us-east-1`. */
	region: empty.or(z.string()).optional(),
	/** The URL of a server other than AWS. */
	endpoint: empty.or(url).optional(),
	/** Whether the bucket is in the path of the URL, not in the host name. By default true if there is an `endpoint`. */
	pathStyle: z.boolean().optional(),
	/** With the secret, replaces the credentials that the AWS SDK finds. */
	accessKeyId: empty.or(z.string()).optional(),
	/** The secret of `accessKeyId`. */
	secretAccessKey: empty.or(z.string()).optional(),
	/** `redirect`: clients download from the bucket, by a URL that is valid for minutes. */
	downloads: z.enum(['through', 'redirect']).default('through'),
	/** With `redirect`, the URL by which clients reach the server. By default `endpoint`. */
	publicEndpoint: empty.or(url).optional(),
});

/** The options of `s3Blobs` after validation. */
export type S3Options = z.output<typeof s3Options>;
