import {
	type App,
	BootError,
	createApp,
	ownerOfBlobs,
	ownerRemedy,
	type ResolvedConfig,
	type SelfCheck,
	type ServiceRef,
	services,
} from '@plinth/core';
import type { KeyInfo } from '@plinth/keys';
import { keySources } from '../key-sources.ts';
import { warningLogger } from '../quiet.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { redirectPaths } from './paths.ts';

/** The composition to check. */
export interface CompositionCheck {
	readonly config: ResolvedConfig;
	readonly file: string | undefined;
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
		const summary = `${file ?? 'the built-in composition'} boots: plugins ${plugins}, models ${models.length}`;
		return [
			ok('composition', summary),
			...warnings.map(({ text, remedy }) => warning('composition', text, remedy)),
			...(await checkStores(app, redirected)),
			...(await checkOwner(app)),
			await checkKeys(app, config),
		];
	} finally {
		await app.stop();
	}
}

/** The finding for an invalid config, with its report. */
export function compositionProblem(error: unknown): Finding {
	if (!(error instanceof BootError)) {
		const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
		return problem('composition', text, 'Fix the value named above.');
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
export async function checkKeys(app: App, config: ResolvedConfig): Promise<Finding> {
	const check = 'keys';
	const { isRequired, ring, isConfigured } = keySources(app, config);
	if (!isRequired) return ok(check, 'none is required: authentication is off');
	if (!ring) return ok(check, 'managed by a custom authenticator');
	try {
		return evaluateKeys(isConfigured, await ring.list(), Date.now());
	} catch (error) {
		return problem(check, messageOf(error), damageRemedy);
	}
}

/** Evaluates the issued keys together with the configured ones. */
export function evaluateKeys(isConfigured: boolean, issued: readonly KeyInfo[], now: number): Finding {
	const check = 'keys';
	const from = isConfigured ? 'from the config' : 'none from the config';
	const active = issued.filter(({ state }) => state === 'active');
	const expired = issued.length - active.length;
	const text = `${from}, issued ${active.length}${expired > 0 ? `, expired ${expired}` : ''}`;
	const remedy = 'Create a new one: plinth keys create.';
	if (!isConfigured && issued.length === 0) {
		return ok(check, 'none yet; the first start creates one and shows it once');
	}
	if (!isConfigured && active.length === 0) return problem(check, text, remedy);
	const expiring = active.filter(({ expiresAt }) => expiresAt !== null && expiresAt - now < weekMs);
	if (expiring.length === 0) return ok(check, text);
	const ids = expiring.map(({ id }) => id).join(', ');
	return warning(check, `${text}; within a week expires ${ids}`, remedy);
}
