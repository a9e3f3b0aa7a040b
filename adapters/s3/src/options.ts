import { z } from 'zod';

const url = z.url({ protocol: /^https?$/, error: 'Write a URL such as https://s3.example.com:8333' });
/** An unset variable of the environment is an empty text. */
const empty = z.literal('').transform(() => undefined);

/** The options of `s3Blobs`. */
export const s3Options = z.strictObject({
	/** It must exist. */
	bucket: z.string().min(1),
	/** What all keys begin with, so that several installations share a bucket: `production`. */
	prefix: z
		.string()
		.regex(/^[A-Za-z0-9._/-]{0,200}$/, 'Use letters, digits and `._/-`')
		.transform((text) => (text === '' || text.endsWith('/') ? text : `${text}/`))
		.default(''),
	/** Otherwise that of the AWS variables or files; with `endpoint`, at last `us-east-1`. */
	region: empty.or(z.string()).optional(),
	/** The URL of another server than AWS. */
	endpoint: empty.or(url).optional(),
	/** The bucket is in the path of the URL, not in the name of the host. Otherwise so where there is an `endpoint`. */
	pathStyle: z.boolean().optional(),
	/** With the secret, in place of the chain of credentials of the AWS SDK. */
	accessKeyId: empty.or(z.string()).optional(),
	/** The secret of `accessKeyId`. */
	secretAccessKey: empty.or(z.string()).optional(),
	/** `redirect`: clients download from the bucket, by an address that works for minutes. */
	downloads: z.enum(['through', 'redirect']).default('through'),
	/** With `redirect`, the URL under which clients reach the server, where it is not `endpoint`. */
	publicEndpoint: empty.or(url).optional(),
});

/** The options of `s3Blobs` after validation. */
export type S3Options = z.output<typeof s3Options>;
