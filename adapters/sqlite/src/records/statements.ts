/** The SQL of the record store. */

const named = `tenant = $tenant AND collection = $collection AND id = $id`;

export const selectRecord = `SELECT id, value, version, updated_at FROM records WHERE ${named}`;
export const selectVersion = `SELECT version FROM records WHERE ${named}`;
export const deleteRecord = `DELETE FROM records WHERE ${named}`;

export const putRecord = `
	INSERT OR REPLACE INTO records (tenant, collection, id, value, version, updated_at, index_value)
	VALUES ($tenant, $collection, $id, $value, $version, $now, $index)`;

/** A page by id; `$limit` is one more than the page, to see whether more follow. No id sorts before the empty one. */
export function selectPage(byIndex: boolean): string {
	return `SELECT id, value, version, updated_at FROM records
		WHERE tenant = $tenant AND collection = $collection ${byIndex ? 'AND index_value = $index' : ''} AND id > $after
		ORDER BY id LIMIT $limit`;
}
