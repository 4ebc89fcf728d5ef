/** Calls about responses: delays, limits, faults, shapes, the log of requests. */
import { z } from 'zod/v4';
import { runtimeSettingsSchema } from '../../foundation/settings.ts';
import { rateSchema } from '../../foundation/limiter.ts';
import { type ControlContext, latencySchema, pagingSchema } from '../context.ts';
import { dropSchema, faultSchema, tokenFaultModes } from '../faults.ts';
import { rateAnswerSchema } from '../rateAnswer.ts';
import { defaultVariants, variantsSchema } from '../variants.ts';
import { call, nothing } from './call.ts';

/** About 30 years, so that all timestamps have four digits of a year and lie after 1970. */
const clockOffset = z.number().min(-1e9).max(1e9);

/** Makes the calls about faults. */
export function faultCalls({ faults, tokenFaults }: ControlContext) {
	return {
		/** Fails the next matching requests. */
		fail: call(faultSchema, (fault) => faults.add(fault)),
		/** Closes a share of all connections at random. */
		setDropRatio: call(dropSchema, (drop) => {
			faults.drop = drop;
		}),
		/** Forgets all faults of the API and of the token endpoint. */
		clearFailures: call(nothing, () => {
			faults.clear();
			tokenFaults.clear();
		}),
		/** Makes the token endpoint misbehave for a number of requests. */
		failTokens: call(
			z.strictObject({
				mode: z.enum(tokenFaultModes),
				times: z.int().min(1).default(1_000_000),
			}),
			({ mode, times }) => tokenFaults.set(mode, times),
		),
	};
}

/** Makes the calls about the form of responses, and when they come. */
export function answerCalls({ state, data, limiter, clock, settings }: ControlContext) {
	return {
		/** Holds every response of the API back; with `atOnce`, so many at a time; the others wait, or are refused with 503. */
		setLatency: call(latencySchema, (latency) => {
			state.latency = latency;
		}),
		/** Sets the rate limit of everybody, or of one API key or account; starts new windows. */
		setRate: call(
			z.strictObject({
				rate: rateSchema,
				apiKey: z.string().optional(),
				clientId: z.string().optional(),
			}),
			({ rate, apiKey, clientId }) => {
				const key = apiKey === undefined ? undefined : data.identities.findKey(apiKey)?.id;
				if (apiKey !== undefined && key === undefined) throw new Error('No such API key.');
				if (clientId !== undefined && !data.identities.account(clientId)) {
					throw new Error('No such service account.');
				}
				limiter.set(rate, key ?? clientId);
			},
		),
		/** Sets how a refusal for the rate looks: status, Retry-After, unit of the reset header. */
		setRateAnswer: call(rateAnswerSchema, (answer) => {
			state.rateAnswer = answer;
		}),
		/** Chooses shapes that the interface leaves open; what is not named stays. @returns all of them */
		setVariants: call(variantsSchema, (chosen) => ({ ...Object.assign(state.variants, chosen) })),
		/** Goes back to the service's own shapes. */
		resetVariants: call(nothing, () => {
			Object.assign(state.variants, defaultVariants);
		}),
		/** Makes pages misbehave: the same cursor again and again, never null, or a page that shows a record once more. */
		setPaging: call(pagingSchema, (paging) => {
			state.paging = paging;
		}),
		/** Sets how far the service's clock is off: Date, rate-limit reset, timestamps. */
		setClockOffset: call(z.strictObject({ seconds: clockOffset }), ({ seconds }) => {
			clock.offsetSeconds = seconds;
		}),
		/** Sets how long new access tokens live. */
		setTokenLifetime: call(
			z.strictObject({ seconds: runtimeSettingsSchema.shape.tokenLifetimeSeconds }),
			({ seconds }) => {
				settings.tokenLifetimeSeconds = seconds;
			},
		),
	};
}

/** Makes the calls about what came in. */
export function observationCalls({ requests }: ControlContext) {
	return {
		/** The latest requests to the API and the token endpoint, oldest first; secrets are redacted. */
		requests: call(nothing, () => requests.list()),
		/** Empties the request log. */
		resetRequests: call(nothing, () => requests.reset()),
	};
}
