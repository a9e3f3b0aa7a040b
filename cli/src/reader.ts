import { type App, type BackendInstance, createApp, type ResolvedConfig } from '@plinth/core';
import { type DocumentReader, mediaServices } from '@plinth/toolkit';
import { configFrom } from './find-config.ts';
import { quietLogger } from './quiet.ts';
import { UserError } from './user-error.ts';

/**
 * Boots only the document reader of a composition, runs `work` with it, and stops it. Opens no store and
 * writes nothing.
 */
export async function withReader<T>(
	flags: { readonly config?: string },
	work: (reader: DocumentReader) => Promise<T>,
): Promise<T> {
	const { file, config } = await configFrom(flags);
	const app = await createApp(readerOnly(config), { file, log: quietLogger });
	try {
		return await work(readerOf(app, file));
	} finally {
		await app.stop();
	}
}

function readerOf(app: App, file: string | undefined): DocumentReader {
	const hasReader = app.tree().parts.some(({ provides }) => provides.includes(mediaServices.documents.id));
	if (hasReader) return app.service(mediaServices.documents);
	throw new UserError(
		`${file ?? 'The built-in composition'} has no backend that reads documents. ` +
			'Add one under backends, such as @plinth/documents#documentReader.',
	);
}

/** The config with only the parts that the reader needs. */
function readerOnly(config: ResolvedConfig): ResolvedConfig {
	const needed = new Set<string>();
	const providersOf = (id: string) =>
		Object.entries(config.backends).filter(([, backend]) => providedIds(backend).includes(id));
	const add = (id: string): void => {
		for (const [name, { definition }] of providersOf(id)) {
			if (needed.has(name)) continue;
			needed.add(name);
			for (const need of Object.values(definition.needs ?? {})) add(need.id);
		}
	};
	add(mediaServices.documents.id);
	const isRelevant = ({ path }: { readonly path: string }) => {
		const [section = '', name = ''] = path.split('.');
		return section === 'backends' ? needed.has(name) : !['models', 'plugins', 'server', 'jobs'].includes(section);
	};
	return {
		...config,
		server: { auth: 'off' },
		jobs: {},
		models: {},
		plugins: {},
		backends: Object.fromEntries(Object.entries(config.backends).filter(([name]) => needed.has(name))),
		problems: config.problems.filter(isRelevant),
	};
}

function providedIds({ definition: { provides } }: BackendInstance): readonly string[] {
	const refs = '$kind' in provides ? [provides] : Object.values(provides);
	return refs.map(({ id }) => id as string);
}
