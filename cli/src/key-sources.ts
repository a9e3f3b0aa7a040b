import { type App, services } from '@plinth/core';
import { type KeyRing, keyRing } from '@plinth/keys';
import { createKeyCommand } from './own-command.ts';
import type { LoadedConfig } from './read-config.ts';

/** Where the keys of a composition come from. */
export interface KeySources {
	/** Whether requests need a key; false when authentication is off. */
	readonly isRequired: boolean;
	/** Undefined when the authenticator has no key ring. */
	readonly ring: KeyRing | undefined;
	/** Whether the config names keys itself. */
	readonly isConfigured: boolean;
	/** Whether keys can be stored. */
	readonly isStored: boolean;
	/** Creates a key in the storage of the composition. */
	readonly createCommand: string;
}

/** Finds the key ring of a booted composition, and whether its config names keys. */
export function keySources(app: App, { file, config }: LoadedConfig): KeySources {
	const { parts } = app.tree();
	const provider = (id: string) => parts.find(({ provides }) => provides.includes(id));
	const part = provider(keyRing.id);
	const { options } = config.backends[part?.owner.replace(/^backend /, '') ?? ''] ?? {};
	const { keys = '' } = (options ?? {}) as { readonly keys?: string | readonly string[] };
	return {
		isRequired: config.server.auth !== 'off' && provider(services.authenticator.id) !== undefined,
		ring: part && app.service(keyRing),
		isConfigured: keys.length > 0,
		isStored: provider(services.records.id) !== undefined,
		createCommand: createKeyCommand(file),
	};
}

/** Returns lines about the keys of a server that has just started. Creates the first key when none exists. */
export async function issueFirstKey({
	isRequired,
	ring,
	isConfigured,
	isStored,
	createCommand,
}: KeySources): Promise<{ readonly key: string | null; readonly lines: readonly string[] }> {
	const withoutKey = (...lines: readonly string[]) => ({ key: null, lines });
	if (!isRequired) return withoutKey('none is required: authentication is off');
	if (!ring) return withoutKey('managed by a custom authenticator');
	const key = await ring.issueFirst();
	if (key) return { key, lines: [key, 'created now and shown only once; only its hash is stored'] };
	if (isConfigured) return withoutKey(process.env.PLINTH_API_KEYS ? 'from PLINTH_API_KEYS' : 'as configured');
	const keys = await ring.list();
	if (keys.some(({ state }) => state === 'active')) {
		return withoutKey(`created earlier; create another: ${createCommand}`);
	}
	return withoutKey(
		'none is valid, so every request with a key is refused',
		isStored ? `create one: ${createCommand}` : 'name some in the options of apiKeys: keys',
	);
}
