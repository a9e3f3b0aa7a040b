import type { Clock } from './ports/clock.ts';
import type { ImageCodec } from './ports/image-codec.ts';
import type { Logger } from './ports/logger.ts';
import { defineService } from './service.ts';

/** The services that the kernel names. Backends provide them; `clock` and `log` come with the kernel. */
export const services = {
	images: defineService<ImageCodec>('core.images'),
	clock: defineService<Clock>('core.clock'),
	log: defineService<Logger>('core.log'),
} as const;
