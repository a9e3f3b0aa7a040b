import { type ResolveFnOutput, registerHooks } from 'node:module';

/** Packages that an installation has once, and that have one module format for all of their folders. */
const shared = /^(?:@plinth\/|zod$)/;

/**
 * Resolves imports inside and between the packages of Plinth without the file system look-ups of Node. For each of a
 * thousand imports, Node would look up the file, its real path, and a package.json in every parent folder. The hook
 * assumes that the files exist and have the module format of their importers. `entry` is the URL of the first module.
 */
export function resolveOwnModules(entry: string): void {
	const formats = new Map([[entry, entry.endsWith('.ts') ? 'module-typescript' : 'module']]);
	const packages = new Map<string, ResolveFnOutput>();
	registerHooks({
		resolve(specifier, context, nextResolve) {
			const { parentURL = '' } = context;
			const format = formats.get(parentURL);
			if (format === undefined) return nextResolve(specifier, context);
			if (specifier.startsWith('.') && specifier.endsWith(parentURL.slice(-3))) {
				const { href: url } = new URL(specifier, parentURL);
				formats.set(url, format);
				return { url, format, shortCircuit: true };
			}
			if (!shared.test(specifier)) return nextResolve(specifier, context);
			const resolved = packages.get(specifier) ?? { ...nextResolve(specifier, context), shortCircuit: true };
			packages.set(specifier, resolved);
			formats.set(resolved.url, resolved.format ?? 'module');
			return resolved;
		},
	});
}
