/** What the trigger makes of its parameters, which expressions and saved workflows can fill with anything. */
import type { IGetNodeParameterOptions } from 'n8n-workflow';
import { InputError } from '../../../nodes/WorkspaceData/model/inputError';
import {
	readAuthentication,
	readSettings,
	watchedCard,
} from '../../../nodes/WorkspaceData/trigger/parameters';
import { scriptedApi } from '../../support/scriptedApi';
import { settingsOf } from '../../support/triggerSettings';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('what nobody set has the values that the documentation names', () => {
	expect(settingsOf()).toEqual({
		authentication: 'apiKey',
		events: ['record.created'],
		card: undefined,
		simple: true,
		fieldKeys: 'name',
		isFlat: false,
		watchFields: [],
		conditions: [],
		anyCondition: false,
		ignoreDuplicates: true,
		maxEventAgeMs: Infinity,
		catchUp: false,
		overlapMs: 15 * MINUTE,
		silenceMs: 24 * HOUR,
	});
});

test('every parameter counts', () => {
	const filters = { conditions: [{ field: 'Title', condition: 'equals', value: 'a' }] };
	expect(
		settingsOf({
			authentication: 'serviceAccount',
			events: ['record.updated', 'card.created'],
			watch: 'oneCard',
			cardId: 'c7',
			simple: false,
			options: {
				fieldKeys: 'id',
				watchFields: ['A', 'B'],
				filters,
				matchType: 'anyCondition',
				ignoreDuplicates: false,
				maxEventAge: 5,
				catchUp: true,
				overlap: 3,
				renewAfterSilence: 2,
			},
		}),
	).toEqual({
		authentication: 'serviceAccount',
		events: ['record.updated', 'card.created'],
		card: 'c7',
		simple: false,
		fieldKeys: 'id',
		isFlat: false,
		watchFields: ['A', 'B'],
		conditions: [{ key: 'Title', condition: 'equals', value: 'a' }],
		anyCondition: true,
		ignoreDuplicates: false,
		maxEventAgeMs: 5 * MINUTE,
		catchUp: true,
		overlapMs: 3 * MINUTE,
		silenceMs: 2 * HOUR,
	});
});

test('a card is watched only where one card is to be watched', () => {
	expect(settingsOf({ watch: 'allCards', cardId: 'c7' }).card).toBeUndefined();
	expect(settingsOf({ watch: 'oneCard' }).card).toBe('');
});

test.each([
	['an age of 0 is any age', { maxEventAge: 0 }, { maxEventAgeMs: Infinity }],
	['an age may be a fraction', { maxEventAge: 0.5 }, { maxEventAgeMs: MINUTE / 2 }],
	['a number may come as text', { maxEventAge: '7' }, { maxEventAgeMs: 7 * MINUTE }],
	['no overlap is no overlap', { overlap: 0 }, { overlapMs: 0 }],
	['a silence of 0 is never', { renewAfterSilence: 0 }, { silenceMs: Infinity }],
	['a silence is an hour at least', { renewAfterSilence: 0.25 }, { silenceMs: HOUR }],
	['a silence of an hour', { renewAfterSilence: 1 }, { silenceMs: HOUR }],
	['catching up only where it says true', { catchUp: 'yes' }, { catchUp: false }],
	['options that are a text', 'nonsense', { overlapMs: 15 * MINUTE, watchFields: [] }],
])('%s', (_, options, expected) => {
	expect(settingsOf({ options })).toMatchObject(expected);
});

test.each([
	[{ events: [] }, "'Trigger On' is empty"],
	[{ events: ' , ' }, "'Trigger On' is empty"],
	[{ watch: 'someCards' }, "'Watch' can't be 'someCards'"],
	[{ authentication: 'password' }, "'Authentication' can't be 'password'"],
	[{ options: { maxEventAge: -1 } }, "'Max Event Age (Minutes)' can't be '-1'"],
	[{ options: { maxEventAge: Infinity } }, "'Max Event Age (Minutes)' can't be 'Infinity'"],
	[{ options: { overlap: 'soon' } }, "'Overlap After a Restart (Minutes)' can't be 'soon'"],
	[{ options: { renewAfterSilence: [1, 2] } }, "'Renew After Silence (Hours)' can't be '[1,2]'"],
	[{ options: { matchType: 'some' } }, "'Must Match' can't be 'some'"],
])('%j is refused by the name of the parameter', (parameters, message) => {
	expect(() => settingsOf(parameters)).toThrow(InputError);
	expect(() => settingsOf(parameters)).toThrow(message);
});

test.each([
	[{ maxEventAge: 'x' }, 'Enter a number of minutes.'],
	[{ overlap: 'x' }, 'Enter a number of minutes.'],
	[{ renewAfterSilence: 'x' }, 'Enter a number of hours.'],
])('%j is responded with the unit', (options, description) => {
	expect(() => settingsOf({ options })).toThrow(expect.objectContaining({ description }));
});

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
	['Simplify', { simple: '={{ $vars.a }}' }, { simple: null }],
	[
		'Ignore Duplicates',
		{ options: { ignoreDuplicates: '={{ $vars.a }}' } },
		{ options: { ignoreDuplicates: undefined } },
	],
	[
		'Must Match',
		{ options: { matchType: '={{ $vars.a }}' } },
		{ options: { matchType: undefined } },
	],
	[
		'Condition',
		{
			options: {
				filters: { conditions: [{ field: 'F', condition: '={{ $vars.a }}', value: 'a' }] },
			},
		},
		{ options: { filters: { conditions: [{ field: 'F', condition: undefined, value: 'a' }] } } },
	],
])(
	'%s whose expression gives nothing is refused, as the default might lose events (H27)',
	(label, raw, computed) => {
		const context = {
			getNodeParameter: (name: string, fallback: unknown, options?: IGetNodeParameterOptions) => {
				const all: Record<string, unknown> = options?.rawExpressions ? raw : computed;
				if (name === 'events') return ['record.created'] as never;
				return (name in all ? all[name] : fallback) as never;
			},
		};
		expect(() => readSettings(context)).toThrow(`'${label}' has no value`);
	},
);

test("a delivery can tell the kind of credential, or that it can't be told", () => {
	const reading = (authentication: string | undefined) =>
		readAuthentication({
			getNodeParameter: (name, fallback) =>
				(name === 'authentication' ? (authentication ?? fallback) : undefined) as never,
		});
	expect(reading('serviceAccount')).toBe('serviceAccount');
	expect(reading(undefined)).toBe('apiKey');
	expect(reading('password')).toBeUndefined();
});

describe('the card that is watched', () => {
	const cards = [
		{ id: 'c1', name: 'Books' },
		{ id: 'c2', name: 'Films' },
	];
	const open = () => scriptedApi(() => ({ body: { cards } }));
	const locator = (mode: string, value: string) => ({ __rl: true, mode, value });

	test('is none for all cards, without a request', async () => {
		const api = open();
		expect(await watchedCard(settingsOf(), api)).toBeNull();
		expect(api.sent).toEqual([]);
	});

	test('is the one with the ID, without a request', async () => {
		const api = open();
		const settings = settingsOf({ watch: 'oneCard', cardId: locator('id', 'c9') });
		expect(await watchedCard(settings, api)).toBe('c9');
		expect(api.sent).toEqual([]);
	});

	test('is the one with the name, asked for as the caller asks', async () => {
		const api = open();
		const settings = settingsOf({ watch: 'oneCard', cardId: locator('name', 'Films') });
		expect(await watchedCard(settings, api, { timeoutMs: 77 })).toBe('c2');
		expect(api.sent).toEqual([expect.objectContaining({ path: ['cards'], timeoutMs: 77 })]);
	});

	test.each([
		['nothing', locator('id', ''), "'Card' is empty"],
		['a name that no card has', locator('name', 'Plays'), 'Plays'],
	])('is an error for %s', async (_, cardId, message) => {
		const settings = settingsOf({ watch: 'oneCard', cardId });
		await expect(watchedCard(settings, open())).rejects.toThrow(message);
	});
});
