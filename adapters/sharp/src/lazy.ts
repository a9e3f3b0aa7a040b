import type { ImageCodec } from '@plinth/toolkit';

/** A codec that loads its implementation on first use. A failed load is retried by the next call. */
export function lazyCodec(load: () => Promise<ImageCodec>) {
	let loading: ReturnType<typeof load> | undefined;
	const loaded = () => {
		loading ??= load().catch((error: unknown) => {
			loading = undefined;
			throw error;
		});
		return loading;
	};
	return {
		/** Resolves when the implementation is loaded. */
		loaded,
		probe: async (...call) => (await loaded()).probe(...call),
		fit: async (...call) => (await loaded()).fit(...call),
		encode: async (...call) => (await loaded()).encode(...call),
		transcode: async (...call) => (await loaded()).transcode(...call),
		composite: async (...call) => (await loaded()).composite(...call),
	} satisfies ImageCodec & { loaded(): Promise<unknown> };
}
