import { useEffect, useMemo } from 'preact/hooks';
import { getBlob } from './request.ts';
import { type Loaded, useLoaded } from './use-loaded.ts';

/** Loads bytes that need the key, with a URL for `<img>`, `<video>` and `<audio>` while the view is mounted. */
export function useBlob(
	path: string,
	query: Readonly<Record<string, string>> = {},
): Loaded<Blob> & { readonly url: string | undefined } {
	const loaded = useLoaded((signal) => getBlob(path, { query, signal }), [path]);
	return { ...loaded, url: useBlobUrl(loaded.value) };
}

/** A URL for bytes. It is revoked when the view is unmounted or the bytes change. */
export function useBlobUrl(blob: Blob | undefined): string | undefined {
	const url = useMemo(() => blob && URL.createObjectURL(blob), [blob]);
	useEffect(() => (url === undefined ? undefined : () => URL.revokeObjectURL(url)), [url]);
	return url;
}
