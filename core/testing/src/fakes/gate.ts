/** A promise that the test settles: a fake model awaits `passed` until the test calls `open`. */
export interface Gate {
	readonly passed: Promise<void>;
	open(): void;
}

/** Makes a closed gate. */
export function gate(): Gate {
	const { promise, resolve } = Promise.withResolvers<void>();
	return { passed: promise, open: () => resolve() };
}
