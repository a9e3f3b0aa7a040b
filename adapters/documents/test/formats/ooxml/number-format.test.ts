import { describe, expect, test } from 'vitest';
import { numberFormat } from '../../../src/formats/ooxml/drawing/number-format.ts';

const format = await numberFormat();
const day = 45_292.75;

describe('a number in a format', () => {
	test.each([
		['dd.mm.yyyy', '01.01.2024'],
		['[$-407]d. mmmm yyyy', '1. January 2024'],
		['yyyy年m月d日', '2024年1月1日'],
		['mm.yyyy;@', '01.2024'],
		['hh:mm:ss.00', '18:00:00.00'],
	])('%s is a date with the dots and signs of its country', (code, shown) => {
		expect(format(day, code)).toBe(shown);
	});

	test.each([
		['£#,##0.00', '£45,292.75'],
		['₹ #,##0', '₹ 45,293'],
		['0 °C', '45293 °C'],
		['0\\😀', '45293😀'],
		['0.00" 📦"', '45292.75 📦'],
	])('%s keeps signs that stand there without quotes', (code, shown) => {
		expect(format(day, code)).toBe(shown);
	});

	test('fills no cells', () => {
		expect(format(5, '*-0')).toBe('5');
		expect(format(5, '"$"* 0')).toBe('$5');
	});

	test('below zero rounds away from it and keeps its sign', () => {
		expect(format(-1.5, '0')).toBe('-2');
		expect(format(-5, '000-00-0000')).toBe('-000-00-0005');
		expect(format(-5, '0;(0)')).toBe('(5)');
		expect(format(-5, ';;;')).toBe('');
	});

	test('below zero is a duration, but no date', () => {
		expect(format(-0.5, '[h]:mm')).toBe('-12:00');
		expect(format(-0.5, 'yyyy-mm-dd')).toBe('-0.5');
	});

	test('out of all bounds is the number', () => {
		expect(format(1e300, '# ?????????/?????????')).toBe('1E+300');
		expect(format(Number.POSITIVE_INFINITY, 'yyyy')).toBe('Infinity');
		expect(format(3, '"'.repeat(255))).toBe('3');
	});
});
