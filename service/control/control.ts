/** Control for tests: what a model service would not have. In this process, and over HTTP behind a token. */
import type { FastifyInstance } from 'fastify';
import { prettifyError, z } from 'zod/v4';
import type { Field } from '../data/fields.ts';
import { roles } from '../data/identities.ts';
import { rateSchema } from '../foundation/limiter.ts';
import { problem } from '../foundation/problem.ts';
import { hashSecret, secretMatches } from '../foundation/secrets.ts';
import { settingsSchema } from '../foundation/settings.ts';
import type { Parts } from '../parts/parts.ts';
import { cardCreateSchema, fieldCreateSchema } from '../routes/schemas.ts';
import { Faults, faultSchema, latencySchema } from './faults.ts';
import { controlRoot, RequestLog } from './requestLog.ts';

export { controlRoot } from './requestLog.ts';

type Context = Parts & { faults: Faults; requests: RequestLog };

/** In-process control of a running service; the same calls are served over HTTP. See README.md. */
export type Control = ReturnType<typeof createControl>;

/** Adds faults, the request log and the routes of control. @returns the calls in this process */
export function addControl(app: FastifyInstance, parts: Parts): Control {
	const context = { ...parts, faults: new Faults(), requests: new RequestLog() };
	const { faults, requests, provider, store } = context;
	for (const [one, listener] of [
		[app, 'api'],
		[provider.app, 'auth'],
	] as const) {
		requests.addTo(one, listener);
		faults.addTo(one, listener, requests);
	}
	app.addHook('onRequest', async (_request, reply) => {
		const { clock } = store;
		if (clock.offsetSeconds !== 0) void reply.header('date', new Date(clock.now()).toUTCString());
	});
	const control = createControl(context);
	addRoutes(app, control, parts.controlToken);
	return control;
}

/** Serves every call as `POST /control/<name>` with a JSON object, behind a token. */
function addRoutes(app: FastifyInstance, control: Control, token: string): void {
	const tokenHash = hashSecret(token);
	const calls = new Map(Object.entries(control as Record<string, (input: never) => unknown>));
	app.post<{ Params: { name: string } }>(
		`${controlRoot}/:name`,
		{
			schema: { hide: true },
			onRequest: async ({ headers }) => {
				const given = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
				if (secretMatches(given, tokenHash)) return;
				throw problem('invalid-credentials', 'Control needs its own token.');
			},
		},
		async (request, reply) => {
			const { name } = request.params;
			const found = calls.get(name);
			if (!found) throw problem('route-not-found', `There is no control call "${name}".`);
			const result = found((request.body ?? {}) as never);
			return await reply.type('application/json').send(JSON.stringify(result ?? null));
		},
	);
}

function createControl(context: Context) {
	const { faults, requests, store } = context;
	return {
		...faultCalls(context),
		...identityCalls(context),
		...dataCalls(context),
		...deliveryCalls(context),
		/** The latest requests to the API and the token endpoint, oldest first; secrets are redacted. */
		requests: () => requests.list(),
		/** Empties the request log. */
		resetRequests: () => requests.reset(),
		/** Returns to the limits and delays of the start, without faults; with `data`, deletes all data but keys and accounts. */
		reset: call(z.strictObject({ data: z.boolean().default(false) }), ({ data }) => {
			faults.clear();
			faults.latency = latencySchema.parse({});
			Object.assign(context.settings, context.startSettings);
			context.limiter.set(context.allowance);
			store.clock.offsetSeconds = 0;
			if (!data) return;
			for (const table of ['subscriptions', 'cards']) store.database.run(`DELETE FROM ${table}`);
			requests.reset();
		}),
	};
}

/** A call: a function that checks its input, of which everything may be left out that has a default. */
function call<S extends z.ZodObject, R>(schema: S, run: (input: z.output<S>) => R) {
	type Input = z.input<S>;
	type Arguments = object extends Input ? [input?: Input] : [input: Input];
	return (...[input = {} as Input]: Arguments): R => {
		const parsed = schema.safeParse(input);
		if (parsed.success) return run(parsed.data);
		throw problem('validation-failed', prettifyError(parsed.error));
	};
}

/** Calls about what goes wrong. */
function faultCalls({ faults, limiter, store, settings }: Context) {
	return {
		/** Fails the next matching requests. */
		fail: call(faultSchema, (fault) => faults.add(fault)),
		/** Forgets them. */
		clearFailures: () => faults.clear(),
		/** Holds every response of the API back; with `atOnce`, so many at a time, and others get 503. */
		setLatency: call(latencySchema, (latency) => {
			faults.latency = latency;
		}),
		/** Sets the rate limit of everybody; starts new windows. */
		setRate: call(z.strictObject({ rate: rateSchema }), ({ rate }) => limiter.set(rate)),
		/** Sets how far the service's clock is off (at most 30 years): Date, rate-limit reset, timestamps. */
		setClockOffset: call(
			z.strictObject({ seconds: z.number().min(-1e9).max(1e9) }),
			({ seconds }) => {
				store.clock.offsetSeconds = seconds;
			},
		),
		/** Sets how long new access tokens live. */
		setTokenLifetime: call(
			z.strictObject({ seconds: settingsSchema.shape.tokenLifetimeSeconds }),
			({ seconds }) => {
				settings.tokenLifetimeSeconds = seconds;
			},
		),
	};
}

const account = z.strictObject({ clientId: z.string() });

/** Calls about who may call: keys, accounts, workspaces. */
function identityCalls({ store: { identities }, provider, workspaceId }: Context) {
	return {
		/** Makes an API key. */
		createKey: call(z.strictObject({ name: z.string().default('key') }), ({ name }) =>
			identities.createKey(workspaceId, name),
		),
		/** Revokes an API key. @returns whether there was such a live key */
		revokeKey: call(z.strictObject({ apiKey: z.string() }), ({ apiKey }) => ({
			revoked: identities.revokeKey(identities.findKey(apiKey)?.id ?? ''),
		})),
		/** Makes a service account. */
		createAccount: call(
			z.strictObject({
				name: z.string().default('account'),
				role: z.enum(roles).default('editor'),
			}),
			(input) => identities.createAccount(workspaceId, input),
		),
		/** Revokes a service account; its tokens die at once. */
		revokeAccount: call(account, ({ clientId }) => ({
			revoked: identities.revokeAccount(clientId),
		})),
		/** Kills an account's tokens; it can get new ones. @returns how many there were */
		revokeTokens: call(account, ({ clientId }) => ({ revoked: provider.revokeTokens(clientId) })),
		/** Makes another workspace with its API key. */
		createWorkspace: call(z.strictObject({ name: z.string().default('Other') }), ({ name }) => {
			const made = identities.createWorkspace(name);
			return { workspaceId: made, apiKey: identities.createKey(made, 'key').apiKey };
		}),
	};
}

const card = z.strictObject({ cardId: z.string() });

const seededCard = cardCreateSchema.extend({
	fields: z.array(fieldCreateSchema).default([]),
	/** Data by field name. */
	records: z.array(z.record(z.string(), z.unknown())).default([]),
});

/** Calls that change data past the API. */
function dataCalls(context: Context) {
	const { store, workspaceId } = context;
	const { database, fields, records, subscriptions } = store;
	return {
		/** Makes cards with fields and records, without events. @returns their ids */
		seed: call(z.strictObject({ cards: z.array(seededCard) }), (input) =>
			database.transaction(() => ({ cards: input.cards.map((one) => seedCard(context, one)) })),
		),
		/** Puts records into a card, with values of the fields' types, without events. */
		fillCard: call(card.extend({ count: z.int().min(1).max(1_000_000) }), ({ cardId, count }) =>
			database.transaction(() => {
				const list = fields.list(workspaceId, cardId);
				for (let n = 0; n < count; n++) {
					const values = list.map((field) => [field.id, sample(field, n)] as const);
					records.insert(workspaceId, cardId, Object.fromEntries(values));
				}
				return { count: records.count(cardId) };
			}),
		),
		/** Gives all fields of a card new ids. @returns old id → new id */
		rotateFieldIds: call(card, ({ cardId }) => fields.rotate(workspaceId, cardId)),
		/** Renames a field. */
		renameField: call(
			card.extend({ fieldId: z.string(), name: z.string() }),
			({ cardId, fieldId, name }) => fields.update(workspaceId, cardId, fieldId, { name }),
		),
		/** Announces a collaborator of a card; the interface has the event but no endpoint for it. */
		addCollaborator: call(
			card.extend({ email: z.string(), role: z.string().default('editor') }),
			({ cardId, ...collaborator }) =>
				subscriptions.publish('collaborator.added', workspaceId, cardId, { collaborator }),
		),
	};
}

/** Makes a card with fields and records, without events. @returns the IDs */
function seedCard(
	{ store, workspaceId }: Context,
	{ name, description, ...given }: z.output<typeof seededCard>,
) {
	const { cards, fields, records } = store;
	const { id } = cards.insert(workspaceId, name, description);
	const ids = given.fields.map((field) => fields.create(workspaceId, id, field).id);
	const fieldIds = Object.fromEntries(given.fields.map((field, n) => [field.name, ids[n] ?? '']));
	const recordIds = given.records.map((row) => {
		const data = Object.entries(row).map(([key, value]) => [fieldIds[key] ?? key, value]);
		return records.insert(workspaceId, id, Object.fromEntries(data)).id;
	});
	return { id, name, fieldIds, recordIds };
}

/** A value of a field's type that differs from record to record. */
function sample({ name, type, options }: Field, n: number): unknown {
	const day = new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString();
	const option = options[n % options.length] ?? null;
	return {
		text: `${name} ${n}`,
		long_text: `${name} ${n}\nSecond line.`,
		number: n,
		boolean: n % 2 === 0,
		date: day.slice(0, 10),
		datetime: day,
		single_select: option,
		multi_select: option && [option],
		email: `person${n}@example.com`,
		url: `https://example.com/${n}`,
		json: { n },
	}[type];
}

/** Calls about subscriptions and deliveries. */
function deliveryCalls({ store, settings, dispatcher, mailer, workspaceId }: Context) {
	const { subscriptions, deliveries } = store;
	const { backoffMs, deliveryTimeoutMs } = settingsSchema.shape;
	return {
		/** Sets the time before the first retry of a delivery, also of those that wait. */
		setBackoff: call(z.strictObject({ ms: backoffMs }), ({ ms }) => {
			settings.backoffMs = ms;
			dispatcher.wakeAll();
		}),
		/** Sets how long a target may take to answer. */
		setDeliveryTimeout: call(z.strictObject({ ms: deliveryTimeoutMs }), ({ ms }) => {
			settings.deliveryTimeoutMs = ms;
		}),
		/** All subscriptions with their state; secrets are left out. */
		subscriptions: () => subscriptions.list(workspaceId),
		/** Makes a paused subscription active again; what waits is delivered at once. */
		resumeSubscription: call(z.strictObject({ id: z.string() }), ({ id }) => ({
			resumed: subscriptions.resume(id),
		})),
		/** The delivery log with bodies and all attempts, newest first. */
		deliveries: call(z.strictObject({ subscriptionId: z.string().optional() }), (of) =>
			deliveries.log(of, 1_000),
		),
		/** E-mails to owners, newest first. */
		outbox: () => mailer.list(),
	};
}
