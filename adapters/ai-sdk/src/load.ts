import { importFrom } from '@plinth/core';
import { isModel, type ProviderModel } from './options.ts';

type Functions = Readonly<Record<string, ((argument: unknown) => unknown) | undefined>>;

/**
 * The model that a config names. `kind` is the provider's function: `video` means `videoModel` or `video`.
 * Rejects, with a remedy, when the package is not installed beside the config or has no such models.
 */
export async function loadModel<M extends ProviderModel>(
	{ model, provider: packageName = '', options }: { model: M | string; provider?: string | undefined; options: object },
	kind: string,
	folder: string,
): Promise<M> {
	if (typeof model !== 'string') return model;
	const [specifier = '', functionName] = packageName.split('#');
	if (!specifier) throw new Error('provider is missing: name a package, such as @ai-sdk/openai');
	const module = (await importFrom(specifier, { folder }).catch((cause: Error) => {
		throw new Error(`${cause.message}. Install it there: npm install ${specifier}`, { cause });
	})) as Functions;
	const names = Object.keys(module).filter((name) => /^create[A-Z]/.test(name));
	const expectedName = `create${specifier.split('/').at(-1)?.replaceAll('-', '')}`.toLowerCase();
	const create = functionName ?? names.find((name) => name.toLowerCase() === expectedName) ?? names[0] ?? 'create…';
	const provider = module[create]?.(options) as Functions | undefined;
	if (!provider) throw new Error(`${specifier} has no function ${create}`);
	const made = (provider[`${kind}Model`] ?? provider[kind])?.(model);
	if (isModel(made)) return made as M;
	throw new Error(`${specifier} has no ${kind} models of version 3 or 4 of the specification (ai 6 and ai 7)`);
}
