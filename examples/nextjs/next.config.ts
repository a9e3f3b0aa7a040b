import type { NextConfig } from 'next';

export default {
	// Node loads them as they are installed: Next cannot bundle the fonts and WebAssembly that they read.
	serverExternalPackages: ['@plinth/core', '@plinth/hosts', 'plinth'],
} satisfies NextConfig;
