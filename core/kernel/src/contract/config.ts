import type { BackendInstance } from './backend.ts';
import type { JobSettings } from './jobs/settings.ts';
import type { ModelInstance } from './model.ts';
import type { PluginInstance } from './plugin.ts';

/** A factory named by package and export, as YAML and JSON spell it: `@plinth/sqlite#sqliteJobs`. */
export interface NamedUse {
	/**
	 * `<package>` or `<package>#<export>`; without an export the package must have one factory of the right kind. Unset,
	 * the entry changes what a preset brings under the same key.
	 */
	readonly use?: string;
	/** The factory's options. Without `use`, the preset's other options stay. */
	readonly with?: Readonly<Record<string, unknown>>;
}

/** What `/v1/models` shows of a model, and the names that lead to it. */
export interface ListingOptions {
	/** Further ids under which clients may name the model. */
	readonly aliases?: readonly string[] | undefined;
	/** Shown in `/v1/models`; the factory's own sentence unless set. */
	readonly description?: string | undefined;
	/** `owned_by` in `/v1/models`. */
	readonly ownedBy?: string | undefined;
	/** With `false`, `/v1/models` leaves the model out; it can still be called. `true` unless set. */
	readonly listed?: boolean | string | undefined;
}

/** What a model binding may set beside its factory. Numbers may be texts, as variables are. */
export interface ModelBindingOptions extends ListingOptions {
	/** Calls at the same time, 1 at least; any number unless set. */
	readonly concurrency?: number | string | undefined;
	/** With `concurrency`: how many more calls may wait; 64 unless set, none with 0. Further calls answer 429. */
	readonly waiting?: number | string | undefined;
	/** Seconds until the result of a call or the start of its answer: more than 0, at most 86,400, without waiting. */
	readonly timeoutSeconds?: number | string | undefined;
	/** Models and pools of the same kind to call in turn when the model fails. Their own fallbacks do not count. */
	readonly fallback?: readonly string[] | undefined;
	/**
	 * After `failures` (1 to 1,000; 5 unless set) failed calls in a row, the model is not called for `seconds` (1 to
	 * 3,600; 30 unless set). `false`: never. Unless set, models with a `fallback` and members of pools have these numbers.
	 */
	readonly circuit?: { readonly failures?: number | string; readonly seconds?: number | string } | false | undefined;
}

/** A model id bound to a factory, or changes to the model that a preset brings. */
export type ModelBinding = ({ readonly use: ModelInstance } | NamedUse) & ModelBindingOptions;

/** A plugin, or changes to the plugin that a preset brings. */
export type PluginBinding = ({ readonly use: PluginInstance } | NamedUse) & {
	/** The model of requests to this plugin that name none. Unless set, such a request is refused. */
	readonly defaultModel?: string | undefined;
};

/** A model id that shares its work among models. */
export interface ModelPool extends ListingOptions {
	/** Ids or aliases of models of one kind, each with its share: a number above 0, 1,000,000 at most. */
	readonly balance: Readonly<Record<string, number | string>>;
	/** Models and pools to call when all members fail. */
	readonly fallback?: readonly string[] | undefined;
}

/** Where and how the server listens. */
export interface ServerConfig {
	/** The address to listen on; 127.0.0.1 unless set, which only the same machine reaches. */
	readonly host?: string;
	/** The port to listen on; 8080 unless set, 0 takes a free one. */
	readonly port?: number | string;
	/** The start of absolute links; that of the request unless set. Without a path, the prefix of a mount follows. */
	readonly publicUrl?: string;
	/** `off` lets everybody in: only behind a host that authenticates, or on loopback. `on` unless set. */
	readonly auth?: 'on' | 'off' | (string & {});
	/** Requests with a wrong key that one address may send in a minute; 20 unless set, 0 for any number. */
	readonly authFailuresPerMinute?: number | string;
	/** How many of your own proxies append to `X-Forwarded-For`; none unless set, and then the header is ignored. */
	readonly trustedProxies?: number | string;
	/** Origins whose pages may read answers, as a list or comma-separated; `*` for all. None unless set. */
	readonly cors?: readonly string[] | string;
	/** Members of bodies that a route does not know: `warn` unless set, or `refuse` with 400. */
	readonly unknownMembers?: 'warn' | 'refuse' | (string & {});
	/** Whether JSON of 1 KB and more is compressed for clients that ask for it; `on` unless set. */
	readonly compression?: 'on' | 'off' | (string & {});
	/** How much may be under way at once; what is beyond is refused with 429 or 503. */
	readonly limits?: {
		/** Request bodies being received or worked on, in bytes; 1 GiB unless set. */
		readonly inFlightBytes?: number | string;
		/** Requests of one tenant; 256 unless set. */
		readonly requestsPerTenant?: number | string;
		/** Event streams of one tenant; 1,000 unless set. */
		readonly streamsPerTenant?: number | string;
		/** Event streams of all tenants; 10,000 unless set. */
		readonly streams?: number | string;
		/** Connections of the listener; 10,000 unless set. */
		readonly connections?: number | string;
	};
	/** After a stop is asked for, everything is still served this long, in milliseconds; 1,000 unless set. */
	readonly drainDelayMs?: number | string;
	/** How long requests and jobs may then go on, in milliseconds; 10,000 unless set. */
	readonly graceMs?: number | string;
	/** How long one step of start or stop may take, in milliseconds; 30,000 unless set. */
	readonly stepTimeoutMs?: number | string;
}

/** How much is logged, and how. */
export interface LogConfig {
	/** The least that is logged; `info` unless set. */
	readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | (string & {});
	/** One JSON object a line, or one short line for people; `auto`, the default, is for people on a terminal only. */
	readonly format?: 'auto' | 'json' | 'pretty' | (string & {});
}

/**
 * A whole deployment. Every string in it may hold `${NAME}` or `${NAME:-default}`; `$${` stands for `${`.
 * `false` removes what a preset brings under the same key; an entry without `use` changes it.
 */
export interface AppConfig {
	/** A preset, as `<package>:<export>`, or another config. Keys beside it replace, change or remove parts. */
	readonly extends?: string | AppConfig;
	/** Where the server listens, whom it lets in, and how much it takes on. */
	readonly server?: ServerConfig;
	/** How much is logged, and how. */
	readonly log?: LogConfig;
	/** How jobs are run. */
	readonly jobs?: Partial<Record<keyof JobSettings, number | string | boolean>>;
	/** What the kernel and the plugins need, each under a name of your own. */
	readonly backends?: Readonly<Record<string, BackendInstance | NamedUse | false>>;
	/** Models and pools, each under the id that clients name. */
	readonly models?: Readonly<Record<string, ModelInstance | ModelBinding | ModelPool | false>>;
	/** What the server can do, each under a name of your own. */
	readonly plugins?: Readonly<Record<string, PluginInstance | PluginBinding | false>>;
}

/** Types a config. It is the identity: inference happens in each factory. */
export function defineConfig(config: AppConfig): AppConfig {
	return config;
}

/** An environment variable inside a config: the same as writing `${NAME}` or `${NAME:-fallback}` in the string. */
export function env(name: string, fallback?: string): string {
	return fallback === undefined ? `\${${name}}` : `\${${name}:-${fallback}}`;
}
