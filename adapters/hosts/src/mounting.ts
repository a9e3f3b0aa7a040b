/** Options of mounting an app. */
export interface MountOptions {
	/**
	 * The path prefix, when the host does not strip it: `/ai`. Without it Plinth serves the root of the paths
	 * that it receives.
	 */
	readonly prefix?: string;
}
