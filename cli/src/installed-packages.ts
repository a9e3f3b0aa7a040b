import { registerHooks } from 'node:module';

let isShared = false;

/**
 * Lets a config file, and the modules beside it, import the packages that are installed with this command. Packages
 * beside the config come first.
 */
export function shareInstalledPackages(): void {
	if (isShared) return;
	isShared = true;
	registerHooks({
		resolve(specifier, context, nextResolve) {
			try {
				return nextResolve(specifier, context);
			} catch (error) {
				if (!isMissingPackage(error, specifier) || context.parentURL?.includes('/node_modules/')) throw error;
				try {
					return nextResolve(specifier, { ...context, parentURL: import.meta.url });
				} catch {
					// It names the file that imports the package.
					throw error;
				}
			}
		},
	});
}

function isMissingPackage(error: unknown, specifier: string): boolean {
	const { code } = error as { readonly code?: string };
	const isName = !/^(?:\.{0,2}\/|[a-z]+:)/i.test(specifier);
	return isName && (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND');
}
