import { type App, type ResolvedConfig, services } from '@plinth/core';
import { type KeyRing, keyRing } from '@plinth/keys';

/** Where the keys of a composition come from. */
export interface KeySources {
	/** False: authentication is off. */
	readonly isRequired: boolean;
	/** Undefined: an authenticator of another kind decides. */
	readonly ring: KeyRing | undefined;
	/** Whether the config names keys itself. */
	readonly isConfigured: boolean;
	/** Whether keys can be made and kept. */
	readonly isStored: boolean;
}

/** Looks up who decides over keys in a booted composition, and whether its config names some. */
export function keySources(app: App, config: ResolvedConfig): KeySources {
	const { parts } = app.tree();
	const provider = (id: string) => parts.find(({ provides }) => provides.includes(id));
	const part = provider(keyRing.id);
	const { options } = config.backends[part?.owner.replace(/^backend /, '') ?? ''] ?? {};
	const { keys = '' } = (options ?? {}) as { readonly keys?: string | readonly string[] };
	return {
		isRequired: provider(services.authenticator.id) !== undefined,
		ring: part && app.service(keyRing),
		isConfigured: keys.length > 0,
		isStored: provider(services.records.id) !== undefined,
	};
}

/** Lines that tell a person which keys open a server that has just started. Makes the first key where there is none yet. */
export async function issueFirstKey({
	isRequired,
	ring,
	isConfigured,
	isStored,
}: KeySources): Promise<{ readonly key: string | null; readonly lines: readonly string[] }> {
	const withoutKey = (...lines: readonly string[]) => ({ key: null, lines });
	if (!isRequired) return withoutKey('none is asked for: authentication is off');
	if (!ring) return withoutKey('as the authenticator of this composition has them');
	const key = await ring.issueFirst();
	if (key)
		return { key, lines: [key, 'made just now and shown only this once; its hash is stored'] };
	if (isConfigured)
		return withoutKey(process.env.PLINTH_API_KEYS ? 'from PLINTH_API_KEYS' : 'as configured');
	const keys = await ring.list();
	if (keys.some(({ state }) => state === 'active')) {
		return withoutKey('made earlier; plinth keys create makes another');
	}
	return withoutKey(
		'none is valid, so every request with a key is refused',
		isStored ? 'plinth keys create makes one' : 'name some in the options of apiKeys: keys',
	);
}
