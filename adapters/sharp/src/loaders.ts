import sharp from 'sharp';

/**
 * Restricts libvips to PNG, JPEG and WebP in this process, and disables its cache. This is a second defence
 * besides the check of magic bytes: a disabled parser cannot be exploited.
 */
export function restrictLoaders(): void {
	sharp.block({ operation: ['VipsForeignLoad'] });
	sharp.unblock({
		operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'],
	});
	sharp.cache(false);
}
