/** Giving memory back: when it is worth a pause, and what is left alone. */
import { performance } from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';
import { collectWhenIdle, free, keepCollectionsShort } from '../../../service/foundation/memory.ts';

describe('a buffer that is not needed any more', () => {
	test('is empty at once, as its memory was given back', () => {
		const buffer = Buffer.from(new ArrayBuffer(100_000));
		free(buffer);
		expect([buffer.length, buffer.buffer.byteLength]).toEqual([0, 0]);
	});

	test('that is a part of another stays, as others read the rest', () => {
		const whole = Buffer.from(new ArrayBuffer(100)).fill(7);
		free(whole.subarray(0, 99));
		free(whole.subarray(1));
		expect([whole.length, whole[99]]).toEqual([100, 7]);
	});

	test('that threads share stays', () => {
		const shared = Buffer.from(new SharedArrayBuffer(10)).fill(7);
		free(shared);
		expect([shared.length, shared[9]]).toEqual([10, 7]);
	});
});

describe('garbage is collected', () => {
	const collect = jest.fn<void, [options: object]>();
	/** What the event loop has worked so far and its share of the time since the last look. */
	const loop = { active: 0, utilization: 0 };
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['performance'] });
		// That memory is really given back is tried in a separate process (bounds.test.ts).
		jest.spyOn(vm, 'runInNewContext').mockReturnValue(collect.mockClear());
		Object.assign(loop, { active: 0, utilization: 0 });
		const look = (_now?: unknown, before?: { active: number }) => ({
			idle: 0,
			active: loop.active - (before?.active ?? 0),
			utilization: before ? loop.utilization : 1,
		});
		jest.spyOn(performance, 'eventLoopUtilization').mockImplementation(look);
	});
	afterEach(() => {
		jest.useRealTimers();
		jest.restoreAllMocks();
	});

	/** Whether garbage is collected within a time. */
	function collectsAfter(ms: number): boolean {
		const before = collect.mock.calls.length;
		jest.advanceTimersByTime(ms);
		return collect.mock.calls.length > before;
	}

	test('every 15 seconds, when the loop is idle and has worked for a tenth of a second', () => {
		collectWhenIdle();
		loop.active = 100;
		expect(collectsAfter(14_999)).toBe(false);
		expect(collectsAfter(1)).toBe(true);
		// Any other collection would keep the freed pages.
		expect(collect.mock.calls[0]).toEqual([
			{ type: 'major', execution: 'sync', flavor: 'last-resort' },
		]);
	});

	test('only where there was work since the last time', () => {
		collectWhenIdle(10);
		loop.active = 99;
		expect(collectsAfter(10)).toBe(false);
		loop.active = 100;
		expect(collectsAfter(10)).toBe(true);
		loop.active = 199;
		expect(collectsAfter(10)).toBe(false);
		loop.active = 200;
		expect(collectsAfter(10)).toBe(true);
	});

	test('not while requests are served: they would wait for it', () => {
		collectWhenIdle(10);
		Object.assign(loop, { active: 1_000, utilization: 0.11 });
		expect(collectsAfter(10)).toBe(false);
		loop.utilization = 0.1;
		expect(collectsAfter(10)).toBe(true);
	});
});

test('V8 is told to keep the space for new objects small, and to collect everything rarely', () => {
	const set = jest.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {});
	keepCollectionsShort();
	expect(set.mock.calls).toEqual([
		['--semi-space-growth-factor=1'],
		['--heap-growing-percent=200'],
	]);
	set.mockRestore();
});
