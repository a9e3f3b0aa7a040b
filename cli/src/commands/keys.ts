import { type App, isPlinthError, services } from '@plinth/core';
import { type KeyInfo, type KeyRing, keyRing } from '@plinth/keys';
import { memoryRecords } from '@plinth/memory';
import { type Composed, compose } from '../compose.ts';
import { instantOf } from '../instant.ts';
import { createKeyCommand } from '../own-command.ts';
import { quietLogger } from '../quiet.ts';
import { table } from '../table.ts';
import { UserError } from '../user-error.ts';

interface ConfigFlag {
	readonly config?: string;
}

/** The flags of `plinth keys create`. */
export interface CreateFlags extends ConfigFlag {
	readonly tenant: string;
	/** Comma-separated. */
	readonly scopes: string;
	readonly name?: string;
	/** `30d`, `12h` or an ISO 8601 date. */
	readonly expires?: string;
	readonly quiet?: boolean;
}

/**
 * Creates a key and prints it on standard output without other text, for scripts. Information for people
 * goes to standard error.
 */
export async function createKey(flags: CreateFlags): Promise<void> {
	await withKeyRing(flags, async (ring, { app }) => {
		const { tenant, name } = flags;
		const scopes = parseScopes(flags.scopes, app.tree().scopes);
		const expiresAt = flags.expires === undefined ? undefined : instantOf(flags.expires, Date.now());
		const { id, key } = await ring.issue({
			tenant,
			scopes,
			...(name === undefined ? {} : { name }),
			...(expiresAt === undefined ? {} : { expiresAt }),
		});
		if (!flags.quiet) {
			const end = expiresAt === undefined ? 'never expires' : `expires ${iso(expiresAt)}`;
			process.stderr.write(
				`${id}: a key of tenant ${tenant} with ${scopes.join(', ')}; ${end}.\n` +
					'It is shown only this once; only its hash is stored.\n\n',
			);
		}
		process.stdout.write(`${key}\n`);
	});
}

/** Prints the issued keys as a table or as JSON. */
export async function listKeys(flags: ConfigFlag & { readonly json?: boolean }): Promise<void> {
	await withKeyRing(flags, async (ring, { file }) => {
		const keys = (await ring.list()).map(row);
		if (flags.json) process.stdout.write(`${JSON.stringify(keys, null, '\t')}\n`);
		else if (keys.length > 0) process.stdout.write(table(keys.map(cells)));
		else process.stderr.write(`No key was issued yet. Create one: ${createKeyCommand(file)}\n`);
	});
}

/** Revokes a key: it is invalid from the next request on, in every server on the same storage. */
export async function revokeKey(keyOrId: string, flags: ConfigFlag): Promise<void> {
	await withKeyRing(flags, async (ring) => {
		const revoked = await ring.revoke(keyOrId);
		if (!revoked) throw new UserError(unknownKey);
		const { id, tenant, name } = revoked;
		process.stdout.write(`${id}${name ? ` (${name})` : ''} of tenant ${tenant} is revoked.\n`);
	});
}

// Does not repeat the argument: it may be a key, and terminals are recorded.
const unknownKey =
	'No issued key matches. plinth keys list shows the ids. ' +
	'Keys of the config, such as PLINTH_API_KEYS, are removed in the config.';

/** Boots the composition without starting it, and stops it afterwards. */
async function withKeyRing(
	flags: ConfigFlag,
	work: (ring: KeyRing, composed: Composed) => Promise<void>,
): Promise<void> {
	const composed = await compose(flags, { log: quietLogger });
	const { app } = composed;
	try {
		await work(keyRingOf(app), composed);
	} catch (error) {
		throw isPlinthError(error) ? new UserError(error.message) : error;
	} finally {
		await app.stop();
	}
}

/** The key ring of a composition that can store keys. */
function keyRingOf(app: App): KeyRing {
	const { parts } = app.tree();
	const provider = (id: string) => parts.find(({ provides }) => provides.includes(id));
	if (!provider(keyRing.id)) {
		throw new UserError(
			'This composition cannot issue keys. Add apiKeys under backends, or create keys in its own authenticator.',
		);
	}
	const records = provider(services.records.id);
	if (!records) {
		throw new UserError(
			'This composition cannot store keys. Add a RecordStore, such as sqliteRecords, under backends.',
		);
	}
	if (records.factory === memoryRecords.definition.name) {
		throw new UserError(
			`The records of this composition are in the memory of one process (${records.owner}), ` +
				'so no other process could read the key. Add a RecordStore that processes share, ' +
				'such as sqliteRecords, or name keys in the config.',
		);
	}
	return app.service(keyRing);
}

function parseScopes(list: string, known: readonly string[]): readonly string[] {
	const scopes = list
		.split(',')
		.map((scope) => scope.trim())
		.filter(Boolean);
	const unknown = scopes.filter((scope) => scope !== '*' && !known.includes(scope));
	if (scopes.length > 0 && unknown.length === 0) return scopes;
	const reason =
		scopes.length === 0
			? 'A key needs at least one scope.'
			: `No route asks for ${unknown.map((scope) => JSON.stringify(scope)).join(', ')}.`;
	throw new UserError(`${reason}\nThe scopes of this composition are ${known.join(', ')}, and * for all of them.`);
}

/** A key as `--json` prints it. Instants are ISO 8601 in UTC. */
function row({ id, name, tenant, scopes, hint, state, ...key }: KeyInfo) {
	const created = iso(key.createdAt);
	const expires = key.expiresAt === null ? null : iso(key.expiresAt);
	const lastUsed = key.lastUsedAt === null ? null : iso(key.lastUsedAt);
	return { id, name, tenant, scopes, hint, created, expires, lastUsed, state };
}

function cells(key: ReturnType<typeof row>): Readonly<Record<string, string>> {
	return {
		id: key.id,
		name: key.name ?? '-',
		tenant: key.tenant,
		scopes: key.scopes.join(','),
		hint: `…${key.hint}`,
		created: key.created,
		expires: key.expires ?? 'never',
		'last used': key.lastUsed ?? 'never',
		state: key.state,
	};
}

function iso(instant: number): string {
	return new Date(instant).toISOString().replace('.000Z', 'Z');
}
