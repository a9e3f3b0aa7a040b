import { z } from 'zod';
import { defaultLoad } from '../../http/gate/admission.ts';
import { id } from '../../models/binding.ts';

const settings = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
// What else an entry must be is checked where its factory is looked for: there the message can be exact.
const entry = z.unknown().superRefine((value, ctx) => {
	if (value === false || (typeof value === 'object' && value !== null)) return;
	const message =
		typeof value === 'function'
			? 'is the factory itself: call it, with () behind its name'
			: 'must be false, a factory call, or { use, with }';
	ctx.addIssue({ code: 'custom', message });
});

/** The outer shape of a config; options inside are checked by the factories' own schemas. */
export const configShape = z.strictObject({
	extends: z.union([z.string(), z.looseObject({})]).optional(),
	server: z.record(z.string(), z.unknown()).optional(),
	log: settings.optional(),
	role: z.string().optional(),
	jobs: settings.optional(),
	backends: z.record(id, entry).optional(),
	models: z.record(id, entry).optional(),
	groups: z.record(id, entry).optional(),
	plugins: z.record(id, entry).optional(),
});

// 2,147,483,647 is the longest wait that a timer of Node keeps.
const ms = (fallback: number) => z.coerce.number().int().min(0).max(2_147_483_647).default(fallback);
const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
// `https://app.example.com`, as browsers send it: no path, no trailing slash.
const origin = z
	.string()
	.regex(/^(?:\*|https?:\/\/[^/?#\s@]+)$/i, 'must be * or an origin such as https://app.example.com');

const commaSeparated = (text: string) =>
	text
		.trim()
		.split(/\s*,\s*/)
		.filter(Boolean);

/** How much may be under way at once; `server.limits`. */
const loadSettings = z.strictObject({
	/** Request bodies being received or worked on, in bytes. */
	inFlightBytes: count(defaultLoad.inFlightBytes),
	requestsPerTenant: count(defaultLoad.requestsPerTenant),
	streamsPerTenant: count(defaultLoad.streamsPerTenant),
	streams: count(defaultLoad.streams),
	/** Connections of the listener that Plinth opens itself. */
	connections: count(10_000),
});

/** The `server` section, checked. */
export const serverSettings = z.strictObject({
	host: z.string().min(1).default('127.0.0.1'),
	port: z.coerce.number().int().min(0).max(65_535).default(8080),
	publicUrl: z
		.string()
		.transform((text) => (text === '' ? undefined : text.replace(/\/+$/, '')))
		.pipe(z.url({ protocol: /^https?$/ }).optional())
		.optional(),
	/** Use `off` only behind a host that authenticates, or on loopback. */
	auth: z.enum(['on', 'off']).default('on'),
	/** Maximum requests with a wrong key from one address in a minute. More get 429. 0: no limit. */
	authFailuresPerMinute: z.coerce.number().int().min(0).max(1_000_000).default(20),
	/** Number of your own proxies that append to `X-Forwarded-For`. 0: the header is ignored. */
	trustedProxies: z.coerce.number().int().min(0).max(32).default(0),
	/** Origins whose pages may read answers (CORS). The default is none. */
	cors: z
		.union([z.string().transform(commaSeparated), z.array(z.string())])
		.pipe(z.array(origin))
		.default([]),
	unknownMembers: z.enum(['warn', 'refuse']).default('warn'),
	compression: z.enum(['on', 'off']).default('on'),
	limits: loadSettings.prefault({}),
	drainDelayMs: ms(1_000),
	graceMs: ms(10_000),
	stepTimeoutMs: ms(30_000),
});

/** The `server` section with its defaults. */
export type ServerSettings = z.output<typeof serverSettings>;

/** What a process does. */
export const roleSetting = z.enum(['all', 'api', 'worker']).default('all');

/** The `log` section, checked. */
export const logSettings = z.strictObject({
	level: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
	/** `auto`: `pretty` on a terminal, `json` elsewhere. */
	format: z.enum(['auto', 'json', 'pretty']).default('auto'),
});

/** The `log` section with its defaults. */
export type LogSettings = z.output<typeof logSettings>;
