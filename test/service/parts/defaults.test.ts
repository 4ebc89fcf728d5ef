/** What holds where nobody says otherwise, as DECISIONS.md promises it: a slip in it is a limit that nobody meant. */
import { defaultVariants, variantsSchema } from '../../../service/control/variants.ts';
import { heavyBodyBytes, heavyBytes, heavyMs } from '../../../service/foundation/heavyWork.ts';
import { defaultQuotas, sliceMs } from '../../../service/foundation/quotas.ts';
import {
	defaultSettings,
	maximumFailures,
	maximumParallelDeliveries,
	maximumTimerMs,
	maximumTokenLifetime,
	pageSize,
	runtimeSettingsSchema,
} from '../../../service/foundation/settings.ts';
import { tierNames, tiers } from '../../../service/foundation/tiers.ts';

const [kibibyte, mebibyte] = [2 ** 10, 2 ** 20];

test('quotas', () => {
	expect(defaultQuotas).toEqual({
		bodyBytes: 256 * kibibyte,
		pageBytes: 2 * mebibyte,
		bodyDepth: 128,
		bodyKeys: 1_000,
		bodyValues: 10_000,
		bytesPerSecond: 32 * mebibyte,
		connections: 1_000,
		idleMs: 30_000,
		fileBytes: Infinity,
		mails: 1_000,
		recordBytes: 256 * kibibyte,
		cards: 10_000,
		cardBytes: 2 * mebibyte,
		fields: 500,
		options: 5_000,
		subscriptions: 1_000,
		pendingDeliveries: 250_000,
		pendingBytes: 256 * mebibyte,
		sockets: 128,
		socketsPerWorkspace: 32,
		socketsPerTarget: 8,
		logDeliveries: 20_000,
		logAgeMs: 604_800_000,
		logBytes: 64 * mebibyte,
		signInsPerMinute: 10,
		tokenRequestsPerMinute: 120,
		wrongCredentialsPerMinute: 300,
	});
	expect(sliceMs).toBe(10);
});

test('what is large enough to be served in turns', () => {
	expect([heavyBytes, heavyBodyBytes]).toEqual([32 * kibibyte, 8 * kibibyte]);
	expect(heavyMs).toBe(1);
});

test('settings and their bounds', () => {
	expect(defaultSettings).toEqual({
		backoffMs: 10_000,
		deliveryTimeoutMs: 10_000,
		parallelDeliveries: 1,
		tokenLifetimeSeconds: 300,
	});
	expect([maximumTimerMs, maximumTokenLifetime]).toEqual([2_147_483_647, 2_147_483_647]);
	expect(maximumFailures).toBe(4);
	expect(pageSize).toEqual({ default: 50, maximum: 1_000 });
});

test.each([
	['backoffMs', 0, maximumTimerMs],
	['deliveryTimeoutMs', 1, maximumTimerMs],
	['parallelDeliveries', 1, maximumParallelDeliveries],
	['tokenLifetimeSeconds', 1, maximumTokenLifetime],
])('%s may be from %d to %d', (name, least, most) => {
	const accepts = (value: number) =>
		runtimeSettingsSchema.safeParse({ ...defaultSettings, [name]: value }).success;
	expect([least - 1, least, most, most + 1].map(accepts)).toEqual([false, true, true, false]);
});

test('tiers, smallest first', () => {
	expect(tierNames.map((name) => tiers[name])).toEqual([60, 600, 6_000, 1_000_000]);
});

test('variants: every one has a shape of the service’s own, and no unknown one is taken', () => {
	expect(variantsSchema.parse(defaultVariants)).toEqual(defaultVariants);
	expect(variantsSchema.safeParse({ ...defaultVariants, colour: 'red' }).success).toBe(false);
	expect(defaultVariants).toEqual({
		lists: 'named',
		objects: 'bare',
		createStatus: 201,
		updateStatus: 200,
		deleteStatus: 204,
		webhookIdKey: 'webhook_id',
		webhookSecret: 'top',
		fieldOptions: 'strings',
		fieldIdKey: 'id',
		extraProperties: false,
		tokenExpiresIn: true,
		updatedEventData: 'changed',
		limitAboveMaximum: 'refuse',
		clearedFields: 'absent',
		longNumbers: false,
		storedTexts: 'exact',
		storedNames: 'exact',
		nameKey: 'name',
		readOnlyKey: 'none',
		charset: 'utf-8',
		limitAboveTen: 200,
		listPages: 'one',
		problems: 'bare',
		createdAt: 'exact',
	});
});
