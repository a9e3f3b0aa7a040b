import { stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../src/engine/connection.ts';
import { runOnFullDisk } from '../src/engine/full-disk.ts';
import type { Execute } from '../src/engine/group.ts';
import { Reserve } from '../src/engine/reserve.ts';
import { prepareFile } from '../src/engine/schema.ts';
import { temporaryFile } from './subject.ts';

let file: string;
let remove: () => Promise<void>;

beforeEach(async () => {
	({ file, remove } = await temporaryFile());
});

afterEach(() => remove());

describe('the reserve', () => {
	const reserveSize = () => stat(`${file}-reserve`).then(({ size, blocks }) => [size, blocks * 512]);

	test('takes up the room it stands for', async () => {
		expect(new Reserve(file).restore()).toBe(true);
		const [size = 0, room = 0] = await reserveSize();
		expect(size).toBe(4 * 1024 * 1024);
		expect(room).toBeGreaterThanOrEqual(size);
	});

	test('is gone once it was released, and comes back', async () => {
		const reserve = new Reserve(file);
		reserve.restore();
		reserve.release();
		reserve.release();
		await expect(reserveSize()).rejects.toMatchObject({ code: 'ENOENT' });
		expect(reserve.restore()).toBe(true);
	});

	test('is not missed before it was first wanted', () => {
		const reserve = new Reserve(join(file, 'no', 'such', 'directory'));
		expect(reserve.hasRoom()).toBe(true);
		expect([reserve.restore(), reserve.hasRoom()]).toEqual([false, false]);
	});

	test('that a killed process has made in part is made whole', async () => {
		await writeFile(`${file}-reserve`, '');
		await truncate(`${file}-reserve`, 1_000);
		expect(new Reserve(file).restore()).toBe(true);
		expect((await reserveSize())[0]).toBe(4 * 1024 * 1024);
	});

	test('is read by its owner only', async () => {
		new Reserve(file).restore();
		expect((await stat(`${file}-reserve`)).mode & 0o777).toBe(0o600);
	});
});

describe('a group on a full disk', () => {
	/** A disk with room for so many further writes while the reserve stands, and for any number once it has gone. */
	function scene(hasRoomAgain: boolean) {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const told: string[] = [];
		let isHeld = true;
		const reserve = {
			hasRoom: () => isHeld || (hasRoomAgain && told.length > 0),
			release: () => {
				told.push('released');
				isHeld = false;
			},
		};
		const execute: Execute = (_, { name }) => {
			told.push(name);
			if (isHeld && name !== 'small') throw Object.assign(new Error('full'), { errcode: 13 });
			return name;
		};
		const run = (...names: string[]) => {
			const commands = names.map((name) => ({ name, input: null }));
			const mayUse = ({ name }: { name: string }) => name === 'delete';
			return runOnFullDisk(connection, commands, execute, reserve as Reserve, mayUse).map(({ ok }) => ok);
		};
		return { run, told, close: () => connection.close() };
	}

	test('gives the reserve to the commands that may use it, and refuses the others', () => {
		const { run, told, close } = scene(false);
		expect(run('create', 'delete')).toEqual([false, true]);
		expect(told).toEqual(['create', 'delete', 'released', 'delete']);
		close();
	});

	test('does not do again what had room', () => {
		const { run, told, close } = scene(false);
		expect(run('small', 'delete')).toEqual([true, true]);
		expect(told.filter((name) => name === 'small')).toHaveLength(1);
		close();
	});

	test('does not even try the others while there is no room for a new reserve', () => {
		const { run, told, close } = scene(false);
		run('delete');
		told.length = 0;
		expect(run('create', 'delete')).toEqual([false, true]);
		expect(told).toEqual(['delete']);
		close();
	});

	test('does everything again when the log has given enough room back', () => {
		const { run, close } = scene(true);
		expect(run('create', 'delete')).toEqual([true, true]);
		close();
	});
});
