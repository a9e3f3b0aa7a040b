import { registerHooks } from 'node:module';

let isShared = false;

/**
 * Lets a config file and its local modules import the packages that are installed with this command. Packages that are
 * installed beside the config have precedence.
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
					// The first error names the file that imports the package.
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
