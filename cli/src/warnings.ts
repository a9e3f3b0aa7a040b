/** Hides the warning of Node 22 that SQLite is experimental. Node shows all other warnings as usual. */
export function hideSqliteWarning(): void {
	for (const show of process.listeners('warning')) {
		process.off('warning', show);
		process.on('warning', (warning) => {
			if (!isAboutSqlite(warning)) show(warning);
		});
	}
}

// https://github.com/nodejs/node/blob/v22.19.0/lib/sqlite.js
function isAboutSqlite({ name, message }: Error): boolean {
	return name === 'ExperimentalWarning' && message.startsWith('SQLite is ');
}
