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

describe('the reserve file', () => {
	const reserveSize = () => stat(`${file}-reserve`).then(({ size, blocks }) => [size, blocks * 512]);

	test('occupies its size on the disk', async () => {
		expect(new Reserve(file).restore()).toBe(true);
		const [size = 0, room = 0] = await reserveSize();
		expect(size).toBe(4 * 1024 * 1024);
		expect(room).toBeGreaterThanOrEqual(size);
	});

	test('is removed when it is released, and is created again', async () => {
		const reserve = new Reserve(file);
		reserve.restore();
		reserve.release();
		reserve.release();
		await expect(reserveSize()).rejects.toMatchObject({ code: 'ENOENT' });
		expect(reserve.restore()).toBe(true);
	});

	test('is not reported as missing before it was first created', () => {
		const reserve = new Reserve(join(file, 'no', 'such', 'directory'));
		expect(reserve.hasRoom()).toBe(true);
		expect([reserve.restore(), reserve.hasRoom()]).toEqual([false, false]);
	});

	test('that a killed process created in part is completed', async () => {
		await writeFile(`${file}-reserve`, '');
		await truncate(`${file}-reserve`, 1_000);
		expect(new Reserve(file).restore()).toBe(true);
		expect((await reserveSize())[0]).toBe(4 * 1024 * 1024);
	});

	test('is readable only by its owner', async () => {
		new Reserve(file).restore();
		expect((await stat(`${file}-reserve`)).mode & 0o777).toBe(0o600);
	});
});

describe('a group of commands on a full disk', () => {
	/** A disk with room for a number of writes while the reserve exists, and for any number once it is removed. */
	function scene(hasRoomAgain: boolean) {
		const connection = new Connection(file);
		prepareFile(connection, 1_000);
		const reported: string[] = [];
		let isHeld = true;
		const reserve = {
			hasRoom: () => isHeld || (hasRoomAgain && reported.length > 0),
			release: () => {
				reported.push('released');
				isHeld = false;
			},
		};
		const execute: Execute = (_, { name }) => {
			reported.push(name);
			if (isHeld && name !== 'small') throw Object.assign(new Error('full'), { errcode: 13 });
			return name;
		};
		const run = (...names: string[]) => {
			const commands = names.map((name) => ({ name, input: null }));
			const mayUse = ({ name }: { name: string }) => name === 'delete';
			return runOnFullDisk(connection, commands, execute, reserve as Reserve, mayUse).map(({ ok }) => ok);
		};
		return { run, told: reported, close: () => connection.close() };
	}

	test('uses the reserve for the commands that may use it, and rejects the others', () => {
		const { run, told, close } = scene(false);
		expect(run('create', 'delete')).toEqual([false, true]);
		expect(told).toEqual(['create', 'delete', 'released', 'delete']);
		close();
	});

	test('does not repeat commands that had room', () => {
		const { run, told, close } = scene(false);
		expect(run('small', 'delete')).toEqual([true, true]);
		expect(told.filter((name) => name === 'small')).toHaveLength(1);
		close();
	});

	test('does not try the others while there is no room for a new reserve', () => {
		const { run, told, close } = scene(false);
		run('delete');
		told.length = 0;
		expect(run('create', 'delete')).toEqual([false, true]);
		expect(told).toEqual(['delete']);
		close();
	});

	test('repeats all commands when a checkpoint has freed enough room', () => {
		const { run, close } = scene(true);
		expect(run('create', 'delete')).toEqual([true, true]);
		close();
	});
});
