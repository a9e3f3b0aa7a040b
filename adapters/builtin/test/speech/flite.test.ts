import { afterAll, describe, expect, it, vi } from 'vitest';
import { readFlite } from '../../src/speech/flite-module.ts';

type Memory = { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer } } };
type Constructor = new (...args: readonly unknown[]) => Memory;

const webAssembly = (globalThis as unknown as { WebAssembly: { Instance: Constructor } }).WebAssembly;
const instances: Memory[] = [];

class Recorded extends webAssembly.Instance {
	constructor(...args: readonly unknown[]) {
		super(...args);
		instances.push(this);
	}
}

vi.stubGlobal('WebAssembly', Object.assign(Object.create(webAssembly), { Instance: Recorded }));
const { synthesize } = await import('../../src/speech/flite.ts');

afterAll(() => vi.unstubAllGlobals());

describe('flite', () => {
	it('compiles once without the voices, which are only in memory', () => {
		const { code, constants } = readFlite();
		expect(code.byteLength).toBeLessThan(500_000);
		expect(constants.bytes.byteLength).toBeGreaterThan(10_000_000);
	});

	it('speaks the same after other voices have spoken in the same instance', () => {
		const speak = (text: string, voice: 'kal' | 'kal16' | 'awb' | 'rms' | 'slt') => synthesize(text, voice, {});
		const first = speak('Twelve ships.', 'slt');
		for (const voice of ['kal', 'kal16', 'awb', 'rms'] as const) speak('A long way home, and 1,024 more words.', voice);
		expect(speak('Twelve ships.', 'slt')).toEqual(first);
		expect(instances).toHaveLength(1);
	});

	it('does not change its constants', () => {
		const { constants } = readFlite();
		const [instance] = instances as [Memory];
		const { buffer } = instance.exports.memory;
		const now = Buffer.from(buffer, constants.start, constants.bytes.byteLength);
		expect(now.equals(constants.bytes)).toBe(true);
	});
});
