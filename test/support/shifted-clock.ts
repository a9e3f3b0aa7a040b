/** Shifts the wall clock of a program by `TEST_CLOCK_SHIFT_MS`. Timers are not affected. */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS ?? 0);
const now = Date.now;

Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
	apply: (date) => new date(Date.now()).toString(),
	construct: (date, values, self) => Reflect.construct(date, values.length === 0 ? [Date.now()] : values, self),
});
Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + shiftMs });

export {};
