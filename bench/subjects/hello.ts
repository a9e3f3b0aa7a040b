import { createServer } from 'node:http';

createServer((_, res) => res.end('hello')).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit(0));
