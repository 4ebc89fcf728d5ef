/** `webhook()`: receives a delivery. */
import { randomBytes } from 'node:crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { SIGNATURE_HEADER, isSigned } from '../signature';
import { answerProbe, PROBE_HEADER } from '../../model/subscription/probe';
import * as rules from '../../model/subscription/subscriptionRules';
import { accepted, type Subscription } from '../../model/subscription/saved';
import { type DeliveredEvent, readEvent } from '../webhookEvent';
import { type Clock, systemClock } from '../../transport/http/clock';
import { openSession } from '../../transport/session';
import { localTime } from '../../transport/timeZone';
import { outputOf } from '../output';
import { readSettings } from '../parameters';
import { dispatch, nodeOf, type Site, useOf } from '../subscription/node';
import { readStored, sealingSecret, secretsOf, writeStored } from '../subscription/storage';
import { duplicatesOf } from './duplicates';
import { excessiveAge } from './eventAge';
import { fieldsFor } from './fieldNames';
import { isRelevant, misdirection } from './relevance';

const NOTHING_TO_DO: IWebhookResponseData = { webhookResponse: { received: true } };

/** Responds without an execution. The node has sent the response itself. */
function respond(context: IWebhookFunctions, status: number, text?: string): IWebhookResponseData {
	context.getResponseObject().status(status).end(text);
	return { noWebhookResponse: true };
}

/**
 * Verifies the raw bytes of a delivery first, then starts the workflow. A request that isn't signed with a
 * secret of this node gets 401. A signed delivery that isn't wanted gets 200. Neither starts an execution,
 * and a probe doesn't either.
 *
 * @see service interface, part 6
 */
export async function receiveDelivery(
	context: IWebhookFunctions,
	clock: Clock = systemClock,
): Promise<IWebhookResponseData> {
	const { headers } = context.getRequestObject();
	const use = useOf(context);
	const node = nodeOf(context, use);
	const place = { context, node, clock };
	const body = await rawBody(context);
	const stored = readStored(context);
	if (body && PROBE_HEADER in headers) {
		// Uses only the saved data that n8n has just read, because all processes of this n8n read the same.
		const ownSecret = await sealingSecret(context);
		const proof = ownSecret && answerProbe(body, headers[PROBE_HEADER], stored.mark, ownSecret);
		if (proof) {
			node.answered = proof.nonce;
			return respond(context, proof.status, proof.text);
		}
	}
	node.apply(rules.onRead, { stored }, clock);
	const valid = accepted(node.state.saved, clock.now());
	// A probe that isn't from this node is refused like any forgery.
	const signature: unknown = PROBE_HEADER in headers ? undefined : headers[SIGNATURE_HEADER];
	// All secrets are tried, so that the time is always the same.
	const secrets = await secretsOf(context, valid);
	const [signer] = valid.filter(
		(_one, index) => body && isSigned(body, signature, secrets.slice(index, index + 1)),
	);
	if (!body || !signer) {
		node.warnings.write(place, 'refused', `A delivery was refused: ${refusalReason(secrets)}`);
		return respond(context, 401);
	}
	const event = readEvent(body);
	if (!event) {
		node.warnings.write(
			place,
			'unreadable',
			"A signed delivery was ignored: its body isn't an event",
		);
		return NOTHING_TO_DO;
	}
	const settings = readSettings(context);
	dispatch(place, rules.onDelivered, { id: signer.id });
	const { saved } = node.state;
	// A long execution may have saved an old copy. This delivery proves that the subscription in memory
	// works.
	if (use === 'production' && stored.version < saved.version) {
		await writeStored(context, saved);
	}
	return await startWith({ context, node, settings, clock }, event, signer);
}

/** The bytes of the request; undefined if n8n has none, as for multipart bodies. */
async function rawBody(context: IWebhookFunctions): Promise<Uint8Array | undefined> {
	const request = context.getRequestObject();
	if (/^multipart\//i.test(request.headers['content-type'] ?? '')) return undefined;
	if (!Buffer.isBuffer(request.rawBody)) await request.readRawBody();
	return Buffer.isBuffer(request.rawBody) ? request.rawBody : undefined;
}

/** Explains for the log why no subscription of the node signed a delivery. */
function refusalReason(secrets: readonly string[]): string {
	if (secrets.length === 0) return 'this node has no subscription';
	return secrets.includes('')
		? "the credential has changed or is missing, so the saved secret can't be read; the trigger renews the subscription once it has a credential"
		: "it isn't signed by a subscription of this node";
}

/**
 * Starts the workflow with a verified event, unless the node's settings exclude it.
 *
 * @param signer the subscription that signed it, which may be an old one during an overlap
 */
async function startWith(
	site: Site<IWebhookFunctions>,
	event: DeliveredEvent,
	signer: Subscription,
): Promise<IWebhookResponseData> {
	const { context, node, settings, clock } = site;
	const openService = async () => await openSession(context, settings.authentication, clock);
	const wrong = misdirection(event, signer, settings.events);
	if (wrong) {
		node.warnings.write(site, wrong, `A signed delivery was ignored: ${wrong}`);
		return NOTHING_TO_DO;
	}
	const tooOld = await excessiveAge(event, settings.maxEventAgeMs, openService);
	if (tooOld) {
		node.warnings.write(site, 'age', `An event was ignored: ${tooOld}`);
		return NOTHING_TO_DO;
	}
	const key = settings.ignoreDuplicates ? event.key : randomBytes(9).toString('hex');
	const claim = { key, subscription: signer.id };
	const report = () => onDoubt(site, signer.id);
	const response = context.getResponseObject();
	if (!(await duplicatesOf(node).claim(claim, response, clock, report))) return NOTHING_TO_DO;

	const { workspaceId } = signer;
	const warn = (kind: string, message: string, intervalMs?: number) =>
		node.warnings.write(site, kind, message, intervalMs);
	const place = { context, workspaceId, openService, warn };
	const index = await fieldsFor(event, settings, place, clock);
	const isWanted = isRelevant(event, settings, { index, zone: localTime(context), warn });
	if (!isWanted) return NOTHING_TO_DO;
	return { ...NOTHING_TO_DO, workflowData: [[{ json: outputOf(event, settings, index) }]] };
}

/** How often the log says so, in ms. */
const DOUBT_INTERVAL_MS = 600_000;
/** The warning for n8n's log. It is true in every process, whether it can renew the subscription or not. */
const DOUBT =
	"n8n responded to a delivery late or without success, or it came again: check n8n's load and its limit of executions. If deliveries stop, the trigger renews the subscription: in ten minutes, or in queue mode at the latest after 'Renew After Silence (Hours)'";

/** The service may have paused the subscription: unless it delivers again, a new one is created. */
function onDoubt(site: Site<IWebhookFunctions>, id: string): void {
	if (id !== site.node.state.saved.current?.id) return;
	dispatch(site, rules.onDoubted, {});
	site.node.warnings.write(site, 'late', DOUBT, DOUBT_INTERVAL_MS);
}
