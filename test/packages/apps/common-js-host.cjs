const { createServer } = require('node:http');
const { createApp } = require('@plinth/core');

createApp({ server: { auth: 'off' }, log: { level: 'silent' } }).then((app) => {
	const server = createServer(app.callback());
	server.listen(0, '127.0.0.1', async () => {
		const { port } = server.address();
		const response = await fetch(`http://127.0.0.1:${port}/healthz`);
		console.log(response.status);
		server.close();
		server.closeAllConnections();
		await app.stop();
	});
});
