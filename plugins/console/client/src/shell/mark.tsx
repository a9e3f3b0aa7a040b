/** The logo and the name of Plinth. */
export function Mark() {
	return (
		<span class="mark">
			<svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
				<rect width="32" height="32" rx="7" />
				<path d="M9 8h14v3H9zM11 13h10v8H11zM7 23h18v3H7z" />
			</svg>
			<span>Plinth</span>
		</span>
	);
}
