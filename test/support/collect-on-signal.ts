// Preloaded into a server with `--expose-gc`: SIGUSR2 collects its garbage, then it prints how often it has done so.
let times = 0;
process.on('SIGUSR2', () => {
	globalThis.gc?.();
	times += 1;
	console.log(`collected ${times}`);
});
