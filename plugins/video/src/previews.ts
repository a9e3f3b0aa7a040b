import type { Clock, EventBus, Job } from '@plinth/core';
import { matchesMediaType } from './container-format.ts';
import type { VideoPreview } from './model.ts';

/** Maximum bytes of a preview. Its base64 text fits into the event queue of one client. */
export const maxPreviewBytes = 90_000;
/** Previews are published once a second; timers are not exact. */
const intervalMs = 950;

/** Dependencies of {@link previewer}. */
export interface PreviewContext {
	readonly bus: EventBus;
	readonly clock: Clock;
}

/**
 * Publishes previews of a job as hints of the event bus, with the picture as a data URL. Pictures that come too early,
 * are too large, or do not match their media type are dropped.
 */
export function previewer({ bus, clock }: PreviewContext, { id, tenant }: Job): (picture: VideoPreview) => void {
	let publishedAt = Number.NEGATIVE_INFINITY;
	return (picture) => {
		const now = clock.now();
		// The absolute difference, because the clock may have been set back.
		if (Math.abs(now - publishedAt) < intervalMs) return;
		if (picture.body.length > maxPreviewBytes || !matchesMediaType(picture)) return;
		publishedAt = now;
		const { buffer, byteOffset, length } = picture.body;
		const text = Buffer.from(buffer, byteOffset, length).toString('base64');
		const preview = `data:${picture.mediaType};base64,${text}`;
		bus.publish({ type: 'job.preview', tenant, subject: id, data: { preview } });
	};
}
