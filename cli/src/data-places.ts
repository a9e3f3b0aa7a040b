import { type App, type ResolvedConfig, services } from '@plinth/core';
import { foldersOf } from './doctor/paths.ts';

const stores = [services.jobs, services.records, services.blobs];

/** Where a composition keeps its data: its folders, and the stores that have no folder. */
export function dataPlaces(app: App, { backends }: Pick<ResolvedConfig, 'backends'>): readonly string[] {
	const others = app.tree().parts.flatMap(({ owner, factory, provides }) => {
		const names = stores.filter(({ id }) => provides.includes(id)).map(({ id }) => id.replace('core.', ''));
		const backend = backends[owner.replace('backend ', '')];
		if (names.length === 0 || (backend && foldersOf({ backend }).length > 0)) return [];
		const lifetime = factory.startsWith('memory') ? ', until the process ends' : '';
		return [`${names.join(', ')}: ${factory}${lifetime}`];
	});
	const places = [...foldersOf(backends), ...others];
	return places.length > 0 ? places : ['none is kept'];
}
