import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseTime } from '../../../nodes/WorkspaceData/values/time';

const noon = Date.UTC(2026, 0, 31, 12);

test.each([
	['2026-01-31T12:00:00.123Z', noon + 123],
	['2026-01-31T12:00:00.123456+00:00', noon + 123],
	['2026-01-31T14:00:00+0200', noon],
	['2026-01-31T12:00:00', noon],
	['2026-01-31t12:00:00.123456', noon + 123],
	[' 2026-01-31 12:00:00.5\n', noon + 500],
	['2026-01-31', Date.UTC(2026, 0, 31)],
	['Sat, 31 Jan 2026 12:00:00 GMT', noon],
])('reads %j', (text, time) => {
	expect(parseTime(text)).toBe(time);
});

test.each([undefined, '', 'soon', '2026-13-31T12:00:00', 'T12:00'])('is no time: %j', (text) => {
	expect(parseTime(text)).toBeUndefined();
});

test('is the same in every zone of the machine', () => {
	// Another zone takes another process.
	const file = join(__dirname, '../../../nodes/WorkspaceData/values/time.ts');
	const program = `import { parseTime } from ${JSON.stringify(file)};
		for (const zone of ['Asia/Tokyo', 'America/New_York', 'UTC']) {
			process.env.TZ = zone;
			console.log(parseTime('2026-01-31T12:00:00'), new Date(2026, 0).getTimezoneOffset());
		}`;
	const flags = ['--no-warnings', '--input-type=module', '--eval', program];
	const output = execFileSync(process.execPath, flags, { encoding: 'utf8' });
	expect(output.trim().split('\n')).toEqual([-540, 300, 0].map((offset) => `${noon} ${offset}`));
});
