import { z } from 'zod/v4';
import { sign } from '../delivery/signature.ts';
import { checkValue, type FieldType } from '../foundation/fieldTypes.ts';
import {
	maximumTimerMs,
	type RuntimeSettings,
	runtimeSettingsSchema,
} from '../foundation/settings.ts';
import { type Rate, rateSchema } from '../http/rateLimit.ts';
import type { DeliveryLogEntry } from '../storage/deliveries.ts';
import type { Field } from '../storage/fields.ts';
import { type Role, roles } from '../storage/identities.ts';
import { type Faults, faultSchema } from './faults.ts';
import { rateAnswerSchema } from './rateAnswer.ts';
import type { RequestLog } from './requestLog.ts';
import type { ControlledParts, RigState } from './state.ts';
import type { ShiftedClock } from './shiftedClock.ts';
import { tokenFaultModes, type TokenFaults } from './tokenFaults.ts';
import { defaultVariants, type Variants, variantsSchema } from './variants.ts';

/** The parts that control works on. */
export interface ControlContext extends ControlledParts {
	state: RigState;
	settings: RuntimeSettings;
	/** The state that `reset` restores. */
	initial: { settings: Readonly<RuntimeSettings>; variants: Readonly<Variants>; rate: Rate };
	faults: Faults;
	tokenFaults: TokenFaults;
	requests: RequestLog;
	clock: ShiftedClock;
}

type Arguments<S extends z.ZodType> =
	undefined extends z.input<S> ? [input?: z.input<S>] : [input: z.input<S>];

/** A control call: a function that checks its input, and the schema it checks it with. */
export interface ControlCall<S extends z.ZodType, R> {
	(...input: Arguments<S>): R;
	readonly schema: S;
}

function call<S extends z.ZodType, R>(
	schema: S,
	run: (input: z.output<S>) => R,
): ControlCall<S, R> {
	return Object.assign((...input: Arguments<S>) => run(schema.parse(input[0])), { schema });
}

/** In-process control of a running service; the same calls are served over HTTP. See README.md. */
export type Control = ReturnType<typeof createControl>;

const limits = runtimeSettingsSchema.shape;
const nothing = z.strictObject({}).optional();
/** About 30 years, so that all timestamps have four digits of a year and lie after 1970. */
const clockOffset = z.number().min(-1e9).max(1e9);
const card = z.strictObject({ cardId: z.string() });
const account = z.strictObject({ clientId: z.string() });

/** A value of a field's type that differs from record to record. */
function sample({ name, type, options }: Field, n: number): unknown {
	const option = options[n % Math.max(1, options.length)]?.name;
	const values: Record<FieldType, unknown> = {
		text: `${name} ${n}`,
		long_text: `${name} ${n}\nSecond line.`,
		number: n,
		boolean: n % 2 === 0,
		date: new Date(Date.UTC(2020, 0, 1 + (n % 3_650))).toISOString().slice(0, 10),
		datetime: new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString(),
		single_select: option,
		multi_select: option === undefined ? [] : [option],
		email: `person${n}@example.com`,
		url: `https://example.com/${n}`,
		json: { n },
	};
	const checked = checkValue(type, options, values[type]);
	return checked.ok ? checked.value : undefined;
}

/** Makes the calls. */
export function createControl(context: ControlContext) {
	const { store, data, state, settings, limiter, faults, tokenFaults, requests, clock } = context;
	const { variants } = state;

	const { cards, fields, records, identities, subscriptions, deliveries } = store;

	const workspaceOfCard = (cardId: string) => {
		const workspaceId = cards.workspaceOf(cardId);
		if (workspaceId === undefined) throw new Error(`Card "${cardId}" does not exist.`);
		return workspaceId;
	};

	const signatureOf = ({ subscriptionId, body }: DeliveryLogEntry) => {
		const secret = subscriptions.find(subscriptionId)?.secret;
		return secret === undefined ? null : sign(secret, Buffer.from(body));
	};

	return {
		/** Holds every API answer back; with `atOnce`, so many at a time, and the others wait for them. */
		setLatency: call(
			z.strictObject({
				ms: z.number().min(0).max(maximumTimerMs),
				atOnce: z.number().int().min(1).optional(),
			}),
			({ ms, atOnce }) => {
				state.latencyMs = ms;
				state.atOnce = atOnce ?? Infinity;
			},
		),
		/** Sets the rate limit of everybody, or of one API key or account; starts new windows. */
		setRate: call(
			z.strictObject({
				rate: rateSchema,
				apiKey: z.string().optional(),
				clientId: z.string().optional(),
			}),
			({ rate, apiKey, clientId }) => {
				const key = apiKey === undefined ? undefined : identities.findKey(apiKey)?.id;
				if (apiKey !== undefined && key === undefined) throw new Error('No such API key.');
				limiter.set(rate, key ?? clientId);
			},
		),
		/** Sets how a refusal for the rate looks: status, Retry-After, unit of the reset header. */
		setRateAnswer: call(rateAnswerSchema, (answer) => {
			state.rateAnswer = answer;
		}),
		/** Fails the next matching requests. */
		fail: call(faultSchema, (fault) => faults.add(fault)),
		/** Closes a share of all connections at random. */
		setDropRatio: call(
			z.strictObject({
				ratio: z.number().min(0).max(1),
				when: z.enum(['before', 'after', 'either']).default('either'),
			}),
			(drop) => {
				faults.drop = drop;
			},
		),
		/** Forgets all faults of the API and of the token endpoint. */
		clearFailures: call(nothing, () => {
			faults.clear();
			tokenFaults.clear();
		}),
		/** Makes the token endpoint misbehave for a number of requests. */
		failTokens: call(
			z.strictObject({
				mode: z.enum(tokenFaultModes),
				times: z.number().int().min(1).default(1_000_000),
			}),
			({ mode, times }) => tokenFaults.set(mode, times),
		),
		/** Gives all fields of a card new ids. @returns old id → new id */
		rotateFieldIds: call(card, ({ cardId }) => store.change(() => fields.rotate(cardId))),
		/** Renames a field. */
		renameField: call(card.extend({ fieldId: z.string(), name: z.string() }), (input) => {
			const { cardId, fieldId, name } = input;
			const field = data.fields.get(workspaceOfCard(cardId), cardId, fieldId);
			store.change(() => void fields.update(cardId, { ...field, name }));
		}),
		/** Makes an API key for a workspace, the service's own unless another is named. */
		createKey: call(
			z
				.strictObject({ name: z.string().default('key'), workspaceId: z.string().optional() })
				.optional(),
			(input) =>
				identities.createKey(input?.workspaceId ?? context.workspaceId, input?.name ?? 'key'),
		),
		/** Revokes an API key. @returns whether there was such a live key */
		revokeKey: call(z.strictObject({ apiKey: z.string() }), ({ apiKey }) => {
			const key = identities.findKey(apiKey);
			return { revoked: key !== undefined && identities.revokeKey(key.id) };
		}),
		/** Makes a service account. */
		createAccount: call(
			z
				.strictObject({
					name: z.string().default('account'),
					role: z.enum(roles).default('editor'),
					workspaceId: z.string().optional(),
				})
				.optional(),
			(input) =>
				identities.createAccount(
					input?.workspaceId ?? context.workspaceId,
					input?.name ?? 'account',
					input?.role ?? ('editor' satisfies Role),
				),
		),
		/** Revokes a service account; its tokens die at once. */
		revokeAccount: call(account, ({ clientId }) => ({
			revoked: identities.revokeAccount(clientId),
		})),
		/** Kills an account's tokens; it can get new ones. @returns how many there were */
		revokeTokens: call(account, ({ clientId }) => ({
			revoked: identities.revokeTokens(clientId),
		})),
		/** Makes another workspace with its API key. */
		createWorkspace: call(
			z.strictObject({ name: z.string().default('Another workspace') }).optional(),
			(input) => {
				const { id } = identities.createWorkspace(
					input?.name ?? 'Another workspace',
					'owner@example.com',
				);
				return { workspaceId: id, apiKey: identities.createKey(id, 'key').apiKey };
			},
		),
		/** Puts records into a card, with values of the fields' types, without events. */
		fillCard: call(card.extend({ count: z.number().int().min(1).max(1_000_000) }), (input) => {
			workspaceOfCard(input.cardId);
			const { list } = fields.of(input.cardId);
			store.database.transaction(() => {
				for (let n = 0; n < input.count; n++) {
					const values = list.map((field) => [field.key, sample(field, n)] as const);
					records.create(
						input.cardId,
						Object.fromEntries(values.filter(([, value]) => value !== undefined)),
					);
				}
			});
			return { count: records.count(input.cardId) };
		}),
		/** Announces a collaborator of a card (event collaborator.added). */
		addCollaborator: call(
			card.extend({ email: z.string(), role: z.string().default('editor') }),
			({ cardId, email, role }) =>
				data.cards.addCollaborator(workspaceOfCard(cardId), cardId, email, role),
		),
		/** Sets how long new access tokens live. */
		setTokenLifetime: call(z.strictObject({ seconds: limits.tokenLifetimeSeconds }), (input) => {
			settings.tokenLifetimeSeconds = input.seconds;
		}),
		/** Sets the time before the first retry of a delivery; retries that wait come forward. */
		setBackoff: call(z.strictObject({ ms: limits.backoffMs }), ({ ms }) => {
			settings.backoffMs = ms;
			context.dispatcher.hasten(ms);
		}),
		/** Sets how many deliveries of one subscription run at a time; more than one gives the order up. */
		setParallelDeliveries: call(z.strictObject({ count: limits.parallelDeliveries }), (input) => {
			settings.parallelDeliveries = input.count;
		}),
		/** Sets how long a target may take to answer. */
		setDeliveryTimeout: call(z.strictObject({ ms: limits.deliveryTimeoutMs }), ({ ms }) => {
			settings.deliveryTimeoutMs = ms;
		}),
		/** Chooses shapes that the interface leaves open; what is not named stays. @returns all of them */
		setVariants: call(variantsSchema.partial(), (chosen) => ({
			...Object.assign(variants, chosen),
		})),
		/** Goes back to the service's own shapes. */
		resetVariants: call(nothing, () => {
			Object.assign(variants, defaultVariants);
		}),
		/** Makes cursors misbehave: the same one again and again, or never null. */
		setPaging: call(
			z.strictObject({ mode: z.enum(['normal', 'repeatCursor', 'endless']) }),
			({ mode }) => {
				state.paging = mode;
			},
		),
		/** All subscriptions of a workspace with their state; secrets are left out. */
		subscriptions: call(
			z.strictObject({ workspaceId: z.string().optional() }).optional(),
			(input) => data.subscriptions.list(input?.workspaceId ?? context.workspaceId),
		),
		/** Makes a paused subscription active again; what waits is delivered at once. */
		resumeSubscription: call(z.strictObject({ id: z.string() }), ({ id }) => ({
			resumed: data.subscriptions.resume(id),
		})),
		/** Sends a delivery of the log once more: the same bytes, the same signature. */
		redeliver: call(z.strictObject({ id: z.number().int() }), ({ id }) => {
			const queued = deliveries.again(id);
			context.dispatcher.wakeAll();
			return { queued };
		}),
		/** The delivery log with body, signature and all attempts, newest first. */
		deliveries: call(
			z
				.strictObject({
					subscriptionId: z.string().optional(),
					limit: z.number().int().min(1).default(1_000),
				})
				.optional(),
			(input) =>
				deliveries
					.log({ subscriptionId: input?.subscriptionId }, input?.limit ?? 1_000)
					.map((delivery) => ({
						...delivery,
						signature: signatureOf(delivery),
					})),
		),
		/** E-mails to owners, newest first. */
		outbox: call(nothing, () => store.mails.list(null, 1_000)),
		/** The latest requests to the API and the token endpoint, oldest first. */
		requests: call(nothing, () => requests.list().map((entry) => ({ ...entry }))),
		/** Empties the request log. */
		resetRequests: call(nothing, () => requests.reset()),
		/** Sets how far the service's clock is off: Date, rate-limit reset, timestamps. */
		setClockOffset: call(z.strictObject({ seconds: clockOffset }), ({ seconds }) => {
			clock.offsetSeconds = seconds;
		}),
		/** Memory of the service's process, in bytes. */
		memory: call(nothing, () => {
			const { rss, heapUsed } = process.memoryUsage();
			return { rss, heapUsed };
		}),
		/** Goes back to the faults, variants, limits and delays of the start; data and request log stay. */
		reset: call(nothing, () => {
			faults.clear();
			tokenFaults.clear();
			Object.assign(variants, context.initial.variants);
			Object.assign(settings, context.initial.settings);
			state.latencyMs = 0;
			state.atOnce = Infinity;
			state.paging = 'normal';
			state.rateAnswer = rateAnswerSchema.parse({});
			limiter.set(context.initial.rate);
			clock.offsetSeconds = 0;
		}),
	};
}
