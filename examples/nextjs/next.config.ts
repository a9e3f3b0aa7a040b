import type { NextConfig } from 'next';

export default {
	// Node loads these from node_modules: Next cannot bundle the fonts and WebAssembly files that they read.
	serverExternalPackages: ['@plinth/core', '@plinth/hosts', 'plinth'],
} satisfies NextConfig;
