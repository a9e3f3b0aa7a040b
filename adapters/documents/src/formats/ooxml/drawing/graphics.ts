import type { OfficePackage } from '../package.ts';
import { Chart } from './chart.ts';
import { ChartEx } from './chart-ex.ts';
import { Diagram } from './diagram.ts';
import { numberFormat } from './number-format.ts';

/** The lines of the charts and diagrams that a part refers to, by the id of the relation. Damaged ones have none. */
export type Graphics = ReadonlyMap<string, readonly string[]>;

/** Reads the charts and diagrams of a part. */
export async function graphicsOf(office: OfficePackage, part: string): Promise<Graphics> {
	const graphics = new Map<string, readonly string[]>();
	for (const { id, kind, target } of await office.relations(part)) {
		const reader = await readerOf(kind);
		if (!reader) continue;
		await office.readIfSound(target, reader);
		graphics.set(id, reader.lines);
	}
	return graphics;
}

async function readerOf(kind: string): Promise<Chart | ChartEx | Diagram | undefined> {
	if (kind === 'chart') return new Chart(await numberFormat());
	if (kind === 'chartEx') return new ChartEx(await numberFormat());
	return kind === 'diagramData' ? new Diagram() : undefined;
}
