import { z } from 'zod';

/** The longest delay that a Node timer supports; a longer one fires at once. */
export const maxTimerMs = 2_147_483_647;

const numberOf = (value: number | string) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value);

/** A number of a config. It may be a text, because environment variables are texts. */
export const numeric = <S extends z.ZodNumber>(number: S) => z.preprocess(numberOf, number);

/** An integer of a config, as a number or a text. */
export const integer = (min: number, max = Number.MAX_SAFE_INTEGER) => numeric(z.number().int().min(min).max(max));

const ms = (fallback: number) => integer(0, maxTimerMs).default(fallback);
const count = (fallback: number) => integer(1).default(fallback);

/** One of the given words. Its input type accepts any string, because a config may have a variable there. */
const word = <const W extends string>(...words: W[]) => z.enum(words) as z.ZodType as z.ZodType<W, W | (string & {})>;

// `https://app.example.com`, as browsers send it: no path, no trailing slash.
const origin = z
	.string()
	.regex(/^(?:\*|https?:\/\/[^/?#\s@]+)$/i, 'must be * or an origin such as https://app.example.com');

const commaSeparated = (text: string) => text.split(',').flatMap((part) => part.trim() || []);

/** The `server` section of a config. */
export const serverSettings = z.strictObject({
	/** The address to listen on. Only the same machine can reach the default, 127.0.0.1. */
	host: z.string().min(1).default('127.0.0.1'),
	/** The port to listen on. 0 chooses a free port. */
	port: integer(0, 65_535).default(8080),
	/** The base URL of absolute links. The default is the request's. Without a path, a mount's prefix is appended. */
	publicUrl: z
		.string()
		.transform((text) => (text === '' ? undefined : text.replace(/\/+$/, '')))
		.pipe(z.url({ protocol: /^https?$/ }).optional())
		.optional(),
	/** `off` accepts requests without a key: only behind an authenticating host, or on loopback. */
	auth: word('on', 'off').default('on'),
	/** Maximum requests with a wrong key from one address in a minute. 0 sets no limit. */
	authFailuresPerMinute: integer(0, 1_000_000).default(20),
	/** How many of your own proxies append to `X-Forwarded-For`. The default, 0, ignores the header. */
	trustedProxies: integer(0, 32).default(0),
	/** Origins whose pages may read responses: a list or comma-separated, `*` for all. The default is none. */
	cors: z
		.union([z.string().transform(commaSeparated), z.array(z.string()) as z.ZodType<string[], readonly string[]>])
		.pipe(z.array(origin))
		.default([]),
	/** How members of bodies that a route does not know are handled: `warn` (the default), or `refuse` with 400. */
	unknownMembers: word('warn', 'refuse').default('warn'),
	/** Whether JSON and text of 1 KB and more are compressed for clients that accept it. */
	compression: word('on', 'off').default('on'),
	/** Maximum work in progress. The server refuses more with 429 or 503. */
	limits: z
		.strictObject({
			/** Maximum bytes of all request bodies in progress. The default is 1 GiB. */
			inFlightBytes: count(1_073_741_824),
			/** Maximum concurrent requests of one tenant. */
			requestsPerTenant: count(256),
			/** Maximum event streams of one tenant. */
			streamsPerTenant: count(1_000),
			/** Maximum event streams of all tenants. */
			streams: count(10_000),
			/** Maximum connections of the listener. */
			connections: count(10_000),
		})
		.prefault({}),
	/** Time of normal service after a stop signal, in milliseconds. */
	drainDelayMs: ms(1_000),
	/** Time for open requests and jobs after that, in milliseconds. */
	graceMs: ms(10_000),
	/** Maximum time of one step of start or stop, in milliseconds. */
	stepTimeoutMs: ms(30_000),
});

/** Where and how the server listens. */
export type ServerConfig = z.input<typeof serverSettings>;

export type ServerSettings = z.output<typeof serverSettings>;

export const roleSetting = word('all', 'api', 'worker').default('all');

/** The `log` section of a config. */
export const logSettings = z.strictObject({
	/** The lowest level that is logged. */
	level: word('debug', 'info', 'warn', 'error', 'silent').default('info'),
	/**
	 * `json` or `pretty` lines of the `plinth` command. The default, `auto`, is `pretty` on a terminal and `json`
	 * elsewhere. An app of `createApp` alone writes JSON.
	 */
	format: word('auto', 'json', 'pretty').default('auto'),
});

/** Level and format of the log. */
export type LogConfig = z.input<typeof logSettings>;

export type LogSettings = z.output<typeof logSettings>;
