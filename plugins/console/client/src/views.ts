import type { ComponentType } from 'preact';
import type { IconName } from './components.ts';
import { Files } from './views/files/files.tsx';
import { Jobs } from './views/jobs/jobs.tsx';
import { Models } from './views/models/models.tsx';
import { Playground } from './views/playground/playground.tsx';
import { Reference } from './views/reference/reference.tsx';
import { Webhooks } from './views/webhooks/webhooks.tsx';

/** A view and its entry in the navigation. */
export interface ViewEntry {
	/** The first part of its address: `#/models`. */
	readonly id: string;
	readonly title: string;
	readonly icon: IconName;
	readonly component: ComponentType;
}

/** All views in the order of the navigation. The first one opens after sign-in. */
export const views: readonly [ViewEntry, ...ViewEntry[]] = [
	{ id: 'playground', title: 'Playground', icon: 'playground', component: Playground },
	{ id: 'jobs', title: 'Jobs', icon: 'jobs', component: Jobs },
	{ id: 'files', title: 'Files', icon: 'files', component: Files },
	{ id: 'webhooks', title: 'Webhooks', icon: 'webhooks', component: Webhooks },
	{ id: 'models', title: 'Models', icon: 'models', component: Models },
	{ id: 'reference', title: 'API', icon: 'reference', component: Reference },
];
