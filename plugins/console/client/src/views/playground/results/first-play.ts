import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** The URLs of media that have been started automatically. */
const played = new Set<string>();

/** Plays a video or audio when it is shown for the first time, but not when the user comes back to it. */
export function useFirstPlay(media: RefObject<HTMLMediaElement | null>, address: string | undefined): void {
	useEffect(() => {
		if (address === undefined || played.has(address)) return;
		played.add(address);
		const isVideo = media.current instanceof HTMLVideoElement;
		if (isVideo && matchMedia('(prefers-reduced-motion: reduce)').matches) return;
		// The browser may require a click first. The user can then use the controls.
		media.current?.play().catch(() => {});
	}, [media, address]);
}
