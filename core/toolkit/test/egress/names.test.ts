import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { Egress } from '../../src/egress/egress.ts';
import { nameServers } from '../../src/egress/names.ts';

const families = { 1: 'four', 28: 'six' } as const;

/**
 * A name server. A name that starts with a family has addresses of that family. It does not respond for `silent…` and
 * for the family after `no-`. Other names do not exist.
 */
async function nameServer() {
	const questions: string[] = [];
	const socket = createSocket('udp4', (question, { port, address }) => {
		const { name, family, end } = read(question);
		questions.push(`${name} ${family}`);
		if (name.startsWith('silent') || name.endsWith(`no-${family}.example`)) return;
		const isKnown = name.startsWith('four') || name.startsWith('six');
		const bytes = family === 'four' ? [192, 0, 2, 1] : [0x20, 1, ...Array(13).fill(0), 1];
		const record = Buffer.from([0xc0, 12, 0, question[end - 3] ?? 0, 0, 1, 0, 0, 0, 9, 0]);
		const answer = name.startsWith(family)
			? Buffer.concat([record, Buffer.from([bytes.length, ...bytes])])
			: Buffer.alloc(0);
		const counts = Buffer.from([0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, answer.length ? 1 : 0]);
		const head = Buffer.concat([question.subarray(0, 2), counts, Buffer.alloc(4)]);
		socket.send(Buffer.concat([head, question.subarray(12, end), answer]), port, address);
	});
	socket.bind(0, '127.0.0.1');
	await once(socket, 'listening');
	onTestFinished(() => void socket.close());
	return { servers: [`127.0.0.1:${socket.address().port}`], questions };
}

/** Parses a DNS question (RFC 1035 §4.1.2). */
function read(question: Buffer) {
	const labels: string[] = [];
	let at = 12;
	for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
		labels.push(question.toString('latin1', at + 1, at + 1 + length));
		at += 1 + length;
	}
	const type = question.readUInt16BE(at + 1) as keyof typeof families;
	return { name: labels.join('.').toLowerCase(), family: families[type], end: at + 5 };
}

it('a name has the addresses of both families, or of one', async () => {
	const { servers } = await nameServer();
	const resolve = nameServers({ servers });
	const four = { address: '192.0.2.1', family: 4 };
	const six = { address: '2001::1', family: 6 };
	expect(await resolve('four.example')).toEqual([four]);
	expect(await resolve('six.example')).toEqual([six]);
});

it('an unknown name has the same message as one of a private network', async () => {
	const { servers } = await nameServer();
	const egress = new Egress({ resolve: nameServers({ servers }) });
	await expect(egress.check('https://gone.example/', 'url')).rejects.toThrow(
		'url: gone.example has no address in the public internet.',
	);
	await egress.close();
});

it.each(['localhost', 'localhost.', 'a.localhost'])('%s is never resolved', async (name) => {
	const { servers, questions } = await nameServer();
	expect(await nameServers({ servers })(name)).toEqual([]);
	expect(questions).toEqual([]);
});

it('a silent server causes a timeout, delays no other name, and does not hide the other family', async () => {
	const { servers } = await nameServer();
	const resolve = nameServers({ servers, timeoutMs: 150 });
	const order: string[] = [];
	const say = (name: string) => () => void order.push(name);
	const silent = Array.from({ length: 10 }, (_, count) =>
		resolve(`silent${count}.example`).then(say('known'), say('silent')),
	);
	await resolve('four.example').then(say('four'));
	expect(order).toEqual(['four']);
	await Promise.all(silent);
	expect(order).toEqual(['four', ...silent.map(() => 'silent')]);
	expect(await resolve('four.no-six.example')).toHaveLength(1);
});
