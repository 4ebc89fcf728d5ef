/** What the trigger makes of its parameters, which expressions and saved workflows can fill with anything. */
import { InputError } from '../../../nodes/WorkspaceData/values/inputError';
import { settingsOf } from '../../support/triggerSettings';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('a card is watched only where one card is to be watched', () => {
	expect(settingsOf({ watch: 'allCards', cardId: 'c7' }).card).toBeUndefined();
	expect(settingsOf({ watch: 'oneCard' }).card).toBe('');
});

test.each([
	['an age of 0 is any age', { maxEventAge: 0 }, { maxEventAgeMs: undefined }],
	['a number may come as text', { maxEventAge: '7' }, { maxEventAgeMs: 7 * MINUTE }],
	['a silence of 0 is never', { renewAfterSilence: 0 }, { silenceMs: undefined }],
	['a silence is in hours', { renewAfterSilence: 1 }, { silenceMs: HOUR }],
	['a switch may come as text', { ignoreDuplicates: 'false' }, { ignoreDuplicates: false }],
	['options that are a text', 'nonsense', { silenceMs: undefined, watchFields: [] }],
])('%s', (_, options, expected) => {
	expect(settingsOf({ options })).toMatchObject(expected);
});

test.each([
	[{ events: [] }, "'Trigger On' is empty"],
	[{ events: ['record.create'] }, "'Trigger On' can't be 'record.create'"],
	[{ watch: 'someCards' }, "'Watch' can't be 'someCards'"],
	[
		{ options: { maxEventAge: -1 } },
		"'Max Event Age (Minutes)' must be a whole number of at least 0, not '-1'",
	],
	[
		{ options: { renewAfterSilence: 0.5 } },
		"'Renew After Silence (Hours)' must be a whole number of at least 0, not '0.5'",
	],
	[{ options: { fieldKeys: 'label' } }, "'Name Fields By' can't be 'label'"],
	[{ options: { ignoreDuplicates: 'yes' } }, "'Ignore Duplicates' can't be 'yes'"],
	[{ simple: 'no' }, "'Simplify' can't be 'no'"],
	[{ options: { matchType: 'some' } }, "'Must Match' can't be 'some'"],
])('%j is refused by the name of the parameter', (parameters, message) => {
	expect(() => settingsOf(parameters)).toThrow(InputError);
	expect(() => settingsOf(parameters)).toThrow(message);
});

const nothing = '={{ $vars.a }}';
const filtering = (condition?: string) => ({
	filters: { conditions: [{ field: 'F', condition, value: 'a' }] },
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
	['Simplify', { simple: nothing }, { simple: null }],
	['Ignore Duplicates', { options: { ignoreDuplicates: nothing } }, { options: {} }],
	['Must Match', { options: { matchType: nothing } }, { options: {} }],
	['Condition', { options: filtering(nothing) }, { options: filtering() }],
])(
	'%s whose expression returns nothing is refused, as the default might lose events',
	(label, raw, computed) => {
		expect(() => settingsOf(computed, raw)).toThrow(`'${label}' has no value`);
	},
);
