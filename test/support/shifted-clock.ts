/** Gives a program a wrong wall clock: `TEST_CLOCK_SHIFT_MS` says by how much. Timers are as they were. */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS ?? 0);
const now = Date.now;

Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
	apply: (date) => new date(Date.now()).toString(),
	construct: (date, values, self) => Reflect.construct(date, values.length === 0 ? [Date.now()] : values, self),
});
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs });

export {};
