/** Where an app hangs. */
export interface Mounting {
	/**
	 * What stands before Plinth's paths, where the host leaves it in the address: `/ai`. Without it Plinth stands at
	 * the root of what reaches it.
	 */
	readonly prefix?: string;
}
