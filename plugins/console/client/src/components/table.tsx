import type { ComponentChildren } from 'preact';

/** A column of a table. */
export interface Column<T> {
	readonly title: string;
	readonly cell: (row: T) => ComponentChildren;
	/** For numbers. */
	readonly align?: 'right';
	/** The cells of this column are the row headers. */
	readonly isHead?: boolean;
}

interface TableProps<T> {
	/** Only for screen readers. */
	readonly caption: string;
	readonly columns: readonly Column<T>[];
	readonly rows: readonly T[];
	readonly keyOf: (row: T) => string;
}

/** A table. On a phone each row is a card whose cells show the titles of their columns. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
	return (
		<table class="table">
			<caption class="unseen">{caption}</caption>
			<thead>
				<tr>
					{columns.map(({ title, align }) => (
						<th key={title} scope="col" class={align}>
							{title}
						</th>
					))}
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<tr key={keyOf(row)}>
						{columns.map(({ title, cell, align, isHead }) => {
							// The types of Preact need one literal.
							const Cell = (isHead ? 'th' : 'td') as 'th';
							return (
								<Cell key={title} scope={isHead ? 'row' : undefined} data-title={title} class={align}>
									{cell(row)}
								</Cell>
							);
						})}
					</tr>
				))}
			</tbody>
		</table>
	);
}
