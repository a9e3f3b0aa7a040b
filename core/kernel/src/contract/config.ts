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
	/** More ids for the model. */
	readonly aliases?: readonly string[] | undefined;
	/** Text for `/v1/models`. The default is the text of the factory. */
	readonly description?: string | undefined;
	/** `owned_by` in `/v1/models`. */
	readonly ownedBy?: string | undefined;
	/** With `false`, `/v1/models` does not list the model, but clients can call it. The default is `true`. */
	readonly listed?: boolean | string | undefined;
	/** What calls cost, for `/v1/models`. Plinth does not charge anybody. */
	readonly price?: ModelPrice | undefined;
}

/** What calls of a model cost. */
export interface ModelPrice {
	/** A code of ISO 4217. The default is `USD`. */
	readonly currency?: string | undefined;
	/** The price of a request. */
	readonly perRequest?: number | string | undefined;
	/** The price of a picture. */
	readonly perImage?: number | string | undefined;
	/** The price of a second of video or audio. */
	readonly perSecond?: number | string | undefined;
	/** The price of a million characters of text to speak. */
	readonly perMillionCharacters?: number | string | undefined;
	/** The price of a million input tokens. */
	readonly perMillionInputTokens?: number | string | undefined;
	/** The price of a million output tokens. */
	readonly perMillionOutputTokens?: number | string | undefined;
}

/** What a model binding may set beside its factory. Numbers may be texts, as variables are. */
export interface ModelBindingOptions extends ListingOptions {
	/** Maximum concurrent calls, at least 1. The default is no limit. */
	readonly concurrency?: number | string | undefined;
	/** With `concurrency`: maximum waiting calls. More get 429. The default is 64. */
	readonly waiting?: number | string | undefined;
	/** Maximum seconds until the result of a call or the start of its answer, without waiting: at most 86,400. */
	readonly timeoutSeconds?: number | string | undefined;
	/** Models and pools of the same kind to call in turn when the model fails. Their own fallbacks are ignored. */
	readonly fallback?: readonly string[] | undefined;
	/** What the model takes of its group's `memory` while it is loaded: bytes, or a text such as `18GB`. */
	readonly memory?: number | string | undefined;
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
	/** Ids or aliases of models of one kind, each with its share: a number above 0, at most 1,000,000. */
	readonly balance: Readonly<Record<string, number | string>>;
	/** Models and pools to call when all members fail. */
	readonly fallback?: readonly string[] | undefined;
}

/**
 * Models that share a device, such as one graphics card. A model is loaded by its first call and unloaded before others
 * that need its memory. Each has one call at a time unless it sets `concurrency`. A group is of one process.
 */
export interface ModelGroupConfig {
	/** Ids of models of any kind; each is in one group at most. */
	readonly models: readonly string[];
	/** `true`: one model works at a time, and only that one is loaded. */
	readonly exclusive?: boolean | string;
	/** In place of `exclusive`: bytes of the device, or a text such as `24GB`. Models that fit together work together. */
	readonly memory?: number | string;
	/** After so many seconds without a call, a model is unloaded. Unless set, only when another one needs the memory. */
	readonly idleSeconds?: number | string;
	/** How long calls of a loaded model go first while another model waits to be loaded. The default is 30 seconds. */
	readonly maxBatchSeconds?: number | string;
	/** Maximum waiting calls of all its models. More get 429. The default is 256. */
	readonly waiting?: number | string;
}

/** Where and how the server listens. */
export interface ServerConfig {
	/** The address to listen on. Only the same machine can reach the default, 127.0.0.1. */
	readonly host?: string;
	/** The port to listen on. 0 chooses a free port. The default is 8080. */
	readonly port?: number | string;
	/** Base of absolute links. The default is that of the request. Without a path, a mount's prefix is appended. */
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
	/** Maximum work in progress. The server refuses more with 429 or 503. */
	readonly limits?: {
		/** Maximum bytes of all request bodies in progress. The default is 1 GiB. */
		readonly inFlightBytes?: number | string;
		/** Maximum concurrent requests of one tenant. The default is 256. */
		readonly requestsPerTenant?: number | string;
		/** Maximum event streams of one tenant. The default is 1,000. */
		readonly streamsPerTenant?: number | string;
		/** Maximum event streams of all tenants. The default is 10,000. */
		readonly streams?: number | string;
		/** Maximum connections of the listener. The default is 10,000. */
		readonly connections?: number | string;
	};
	/** Time of normal service after a stop signal, in milliseconds. The default is 1,000. */
	readonly drainDelayMs?: number | string;
	/** Time for open requests and jobs after that, in milliseconds. The default is 10,000. */
	readonly graceMs?: number | string;
	/** Maximum time of one step of start or stop, in milliseconds. The default is 30,000. */
	readonly stepTimeoutMs?: number | string;
}

/** Level and format of the log. */
export interface LogConfig {
	/** The lowest level that is logged. The default is `info`. */
	readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | (string & {});
	/** `json` or `pretty` lines. The default, `auto`, is `pretty` on a terminal and `json` elsewhere. */
	readonly format?: 'auto' | 'json' | 'pretty' | (string & {});
}

/**
 * A whole deployment. Every string in it may hold `${NAME}` or `${NAME:-default}`; `$${` stands for `${`.
 * `false` removes what a preset brings under the same key; an entry without `use` changes it.
 */
export interface AppConfig {
	/** A preset, as `<package>:<export>`, or another config. Keys beside it replace, change or remove parts. */
	readonly extends?: string | AppConfig;
	/** Address, authentication and limits of the server. */
	readonly server?: ServerConfig;
	/** Level and format of the log. */
	readonly log?: LogConfig;
	/**
	 * `all` (the default) answers requests and runs jobs. `api` leaves jobs to other processes on the same storage.
	 * `worker` runs jobs and answers `/healthz` and `/readyz` alone.
	 */
	readonly role?: 'all' | 'api' | 'worker' | (string & {});
	/** How jobs are run. */
	readonly jobs?: Partial<Record<keyof JobSettings, number | string | boolean>>;
	/** Stores, codecs and other services, each under a name of your choice. */
	readonly backends?: Readonly<Record<string, BackendInstance | NamedUse | false>>;
	/** Models and pools, each under the id that clients use. */
	readonly models?: Readonly<Record<string, ModelInstance | ModelBinding | ModelPool | false>>;
	/** Models that share a device, by a name of your choice. */
	readonly groups?: Readonly<Record<string, ModelGroupConfig | false>>;
	/** Capabilities of the server, each under a name of your choice. */
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
