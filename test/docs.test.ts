import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errors } from '@plinth/core';
import { fileErrors } from '@plinth/plugin-files';
import { imageErrors } from '@plinth/plugin-image';
import { videoErrors } from '@plinth/plugin-video';
import { webhookErrors } from '@plinth/plugin-webhooks';
import { mediaErrors } from '@plinth/toolkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobTransitions } from '../core/kernel/src/jobs/state.ts';
import { limitSections } from '../scripts/reference/limits/page.ts';
import { root } from './support/cli.ts';
import { codeBlocks } from './support/pages.ts';
import { bootEmbedded, keyA } from './support/serve.ts';

/** The rows of all tables of a page, without their headers. */
async function tableRows(file: string): Promise<readonly (readonly string[])[]> {
	const text = await readFile(join(root, file), 'utf8');
	const tables = text.split(/\n(?!\|)/).map((part) => part.split('\n').filter((line) => line.startsWith('|')));
	return tables.flatMap((lines) =>
		lines.slice(2).map((line) =>
			line
				.slice(1, -1)
				.split('|')
				.map((cell) => cell.trim()),
		),
	);
}

let booted: Awaited<ReturnType<typeof bootEmbedded>>;

beforeAll(async () => {
	booted = await bootEmbedded();
});

afterAll(() => booted?.stop());

describe('README.md', () => {
	test('lists every path of the default composition, and no other', async () => {
		const text = await readFile(join(root, 'README.md'), 'utf8');
		const section = text.slice(text.indexOf('\n## Routes\n'), text.indexOf('\n## A server in'));
		const listed = [...section.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path);
		const { paths } = booted.app.openapi() as { readonly paths: object };
		expect(listed.toSorted()).toEqual(Object.keys(paths).toSorted());
	});

	test('links to the page of every package', async () => {
		const text = await readFile(join(root, 'README.md'), 'utf8');
		const packages = globSync(['core/*', 'plugins/*', 'adapters/*', 'cli'], { cwd: root });
		const missing = packages.filter((folder) => !text.includes(`](${folder})`));
		expect(packages.length).toBeGreaterThan(15);
		expect(missing).toEqual([]);
	});
});

describe('docs/limits.md', () => {
	test('lists the statuses of the error tables', () => {
		const tables = [errors, mediaErrors, fileErrors, imageErrors, videoErrors, webhookErrors];
		const known = tables.flatMap((table) => Object.values(table));
		const wrong = limitSections
			.flatMap(({ rows }) => rows)
			.flatMap(([what, , beyond]) =>
				[...beyond.matchAll(/(\d{3}) `(\w+)`/g)]
					.filter(([, status, code]) => {
						// The HTTP parser of Node refuses a head that is too large before routing.
						const wanted = status === '431' ? 413 : Number(status);
						return !known.some((spec) => spec.status === wanted && spec.code === code);
					})
					.map(([promise]) => `${what}: ${promise}`),
			);
		expect(wrong).toEqual([]);
	});
});

describe('docs/concepts/request.md', () => {
	test('shows an error body as the server sends it', async () => {
		const [shown = ''] = codeBlocks(await readFile(join(root, 'docs/concepts/request.md'), 'utf8'), 'json');
		const request = new Request('http://plinth/v1/videos', {
			method: 'POST',
			headers: { 'x-api-key': keyA, 'content-type': 'application/json' },
			body: JSON.stringify({ model: 'builtin-video', prompt: 'A forest in the rain', seconds: 99 }),
		});
		expect(await (await booted.app.fetch(request)).json()).toEqual(JSON.parse(shown));
	});
});

describe('docs/concepts/job.md', () => {
	test('lists every status of a job, with its next statuses', async () => {
		const rows = await tableRows('docs/concepts/job.md');
		const listed = rows.map(([status = '', , next = '']) => [status, next.split(', ').sort()]);
		const names = ['queued', 'in_progress', 'completed', 'failed'];
		const followers = names.map((name) => {
			const next = jobTransitions.filter(
				({ from, to }) => from.some((each) => each === name) && to !== 'removed' && to !== name,
			);
			return [`\`${name}\``, [...new Set(next.map(({ to }) => `\`${to}\``))].sort()];
		});
		expect(listed).toEqual(followers.map(([name, next]) => [name, next?.length ? next : ['–']]));
	});
});

describe('SECURITY.md', () => {
	test('names an existing test for each threat', async () => {
		const rows = await tableRows('SECURITY.md');
		const threats = rows.filter((cells) => cells.length === 4);
		expect(threats.length).toBeGreaterThan(15);
		const files = threats.map(([threat, , , proof = '']) => ({
			threat,
			files: [...proof.matchAll(/`([^`]+\.ts)`/g)].map(([, file = '']) => file),
		}));
		expect(files.filter(({ files }) => files.length === 0)).toEqual([]);
		const missing = files.flatMap(({ files }) => files).filter((file) => !existsSync(join(root, file)));
		expect(missing).toEqual([]);
	});
});
