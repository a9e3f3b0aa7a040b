import Koa from 'koa';

const koa = new Koa();
koa.use((ctx) => {
	ctx.body = 'hello';
});
koa.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
