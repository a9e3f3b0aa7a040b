import {
	type App,
	BootError,
	createApp,
	ownerOfBlobs,
	ownerRemedy,
	type SelfCheck,
	type ServiceRef,
	services,
} from '@plinth/core';
import type { KeyInfo } from '@plinth/keys';
import { counted } from '../counted.ts';
import { type KeySources, keySources } from '../key-sources.ts';
import { warningLogger } from '../quiet.ts';
import type { LoadedConfig } from '../read-config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { redirectPaths } from './paths.ts';

/** The composition to check. */
export interface CompositionCheck extends LoadedConfig {
	/** A temporary folder. */
	readonly scratch: string;
}

/**
 * Boots the composition without listening, and checks its stores and its keys. Paths that do not exist yet
 * are created in `scratch`.
 */
export async function checkComposition({ config, file, scratch }: CompositionCheck): Promise<readonly Finding[]> {
	const { backends, redirected } = redirectPaths(config.backends, scratch);
	const { log, warnings } = warningLogger();
	let app: App;
	try {
		app = await createApp({ ...config, backends }, { file, log });
	} catch (error) {
		return [compositionProblem(error)];
	}
	try {
		const { parts, models } = app.tree();
		const plugins = parts.filter(({ owner }) => owner.startsWith('plugin ')).length;
		const counts = `${counted(plugins, 'plugin')}, ${counted(models.length, 'model')}`;
		const summary = `${file ?? 'the built-in composition'} boots: ${counts}`;
		return [
			ok('composition', summary),
			...warnings.map(({ text, remedy }) => warning('composition', text, remedy)),
			...(await checkStores(app, redirected)),
			...(await checkOwner(app)),
			await checkKeys(app, { file, config }),
		];
	} finally {
		await app.stop();
	}
}

/** The finding for an invalid config, with its report. */
export function compositionProblem(error: unknown): Finding {
	if (!(error instanceof BootError)) {
		const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
		return problem('composition', text, 'Correct what the message names.');
	}
	return problem('composition', error.message, 'Follow the remedies above.');
}

type Store = SelfCheck & object;
const stores: readonly ServiceRef<Store>[] = [services.jobs, services.records, services.blobs];

/** Checks each store for availability and, where it supports this, for damage. */
async function checkStores(app: App, redirected: ReadonlySet<string>): Promise<readonly Finding[]> {
	const findings: Finding[] = [];
	for (const ref of stores) {
		const owner = app.tree().parts.find(({ provides }) => provides.includes(ref.id));
		if (!owner) continue;
		const check = ref.id.replace(/^core\./, 'store ');
		if (redirected.has(owner.owner.replace(/^backend /, ''))) {
			findings.push(ok(check, `${owner.factory} opens; nothing is stored yet`));
		} else findings.push(await checkStore(check, owner.factory, app.service(ref)));
	}
	return findings;
}

/** Whether the blobs are those of the composed job store. */
async function checkOwner(app: App): Promise<readonly Finding[]> {
	const provided = app.tree().parts.flatMap(({ provides }) => provides);
	if (!provided.includes(services.jobs.id) || !provided.includes(services.blobs.id)) return [];
	// The check of the stores reports a store that does not respond.
	const owner = await ownerOfBlobs(app.service(services.jobs), app.service(services.blobs)).catch(() => 'unknown');
	if (owner !== 'another store') return [];
	return [problem('blob owner', 'The blobs belong to another job store, so nothing is swept.', ownerRemedy)];
}

const damageRemedy = 'Stop the server and restore the newest backup, or repair it with the tools of its technology.';

async function checkStore(check: string, factory: string, store: Store): Promise<Finding> {
	try {
		await store.ping?.();
		const damage = (await store.check?.()) ?? [];
		if (damage.length === 0) return ok(check, `${factory} opens${store.check ? ', nothing is damaged' : ''}`);
		return problem(check, `${factory}: ${damage.join('; ')}`, damageRemedy);
	} catch (error) {
		return problem(check, `${factory}: ${messageOf(error)}`, damageRemedy);
	}
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

const weekMs = 7 * 24 * 60 * 60 * 1000;

/** Checks the keys of a booted composition. */
export async function checkKeys(app: App, loaded: LoadedConfig): Promise<Finding> {
	const check = 'keys';
	const { isRequired, ring, isConfigured, createCommand } = keySources(app, loaded);
	if (!isRequired) return ok(check, 'none is required: authentication is off');
	if (!ring) return ok(check, 'managed by a custom authenticator');
	try {
		return evaluateKeys({ isConfigured, createCommand }, await ring.list(), Date.now());
	} catch (error) {
		return problem(check, messageOf(error), damageRemedy);
	}
}

/** Evaluates the issued keys together with the configured ones. */
export function evaluateKeys(
	{ isConfigured, createCommand }: Pick<KeySources, 'isConfigured' | 'createCommand'>,
	issued: readonly KeyInfo[],
	now: number,
): Finding {
	const check = 'keys';
	const from = isConfigured ? 'from the config' : 'none from the config';
	const active = issued.filter(({ state }) => state === 'active');
	const expired = issued.length - active.length;
	const text = `${from}, issued ${active.length}${expired > 0 ? `, expired ${expired}` : ''}`;
	const remedy = `Create a new one: ${createCommand}`;
	if (!isConfigured && issued.length === 0) {
		return ok(check, 'none yet; the first start creates one and shows it once');
	}
	if (!isConfigured && active.length === 0) return problem(check, text, remedy);
	const expiring = active.filter(({ expiresAt }) => expiresAt !== null && expiresAt - now < weekMs);
	if (expiring.length === 0) return ok(check, text);
	const ids = expiring.map(({ id }) => id).join(', ');
	return warning(check, `${text}; within a week expires ${ids}`, remedy);
}
