import sharp from 'sharp';

/**
 * Leaves PNG, JPEG and WebP readable in this process, and nothing cached. The second line of defence behind the magic bytes: a parser
 * that cannot run has no holes.
 */
export function restrictLoaders(): void {
	sharp.block({ operation: ['VipsForeignLoad'] });
	sharp.unblock({
		operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'],
	});
	sharp.cache(false);
}
