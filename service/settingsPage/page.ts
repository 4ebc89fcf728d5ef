/** Renders the pages. Every value is escaped. */
import { Eta } from 'eta';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ApiRecord } from '../domain/recordListing.ts';
import type { Card } from '../storage/cards.ts';
import type { DeliveryLogEntry } from '../storage/deliveryLog.ts';
import type { Field } from '../storage/fields.ts';
import { tierNames } from '../foundation/tiers.ts';
import { type Account, roles } from '../storage/accounts.ts';
import type { ApiKey } from '../storage/apiKeys.ts';
import type { Mail } from '../storage/mails.ts';
import type { Subscription } from '../storage/subscriptions.ts';
import type { Notice } from './sessions.ts';

/** The content of every page for somebody signed in. */
export interface PageData {
	workspace: { id: string; name: string };
	/** Goes into every form; proves that the form is ours. */
	formToken: string;
}

/** The content of the settings. */
export interface SettingsData extends PageData {
	notices: Notice[];
	/** The values that a credential of n8n asks for, by the labels there. */
	credential: Array<[name: string, value: string]>;
	hasSecret: boolean;
	keys: ApiKey[];
	accounts: Account[];
	subscriptions: Array<
		Omit<Subscription, 'secret'> & { pending: number; failures: number; cardName: string }
	>;
	deliveries: DeliveryLogEntry[];
	mails: Mail[];
	mailServer: boolean;
}

/** The content of the view of records: all cards, or one with some of its records. */
export interface RecordsData extends PageData {
	cards: Card[];
	card?: Card;
	fields?: readonly Field[];
	records?: ApiRecord[];
	/** How many records the card has. */
	total?: number;
	/** The text that the records were searched for; '' for all. */
	search?: string;
	/** Whether these are the newest. */
	isFirst?: boolean;
	/** Where to continue; null at the end. */
	next?: string | null;
}

/** The question before something that cannot be undone. */
export interface Question extends PageData {
	question: string;
	consequence: string;
	button: string;
	/** Where the answer is sent to. */
	action: string;
}

// Without options it escapes every value, and keeps the templates below.
const eta = new Eta();
const folder = fileURLToPath(new URL('.', import.meta.url));
const viewNames = ['layout', 'header', 'signIn', 'settings', 'confirm', 'records'] as const;
for (const name of viewNames) {
	eta.loadTemplate(`@${name}`, readFileSync(join(folder, 'views', `${name}.eta`), 'utf8'));
}

/** Files that the pages load, by the name they are served under. */
export const assets = {
	'pico.css': {
		type: 'text/css; charset=utf-8',
		path: createRequire(import.meta.url).resolve('@picocss/pico/css/pico.classless.min.css'),
	},
	'style.css': { type: 'text/css; charset=utf-8', path: join(folder, 'style.css') },
	'copy.js': { type: 'text/javascript; charset=utf-8', path: join(folder, 'copy.js') },
};

const escape = (text: string) =>
	text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const format = new Intl.DateTimeFormat('en-GB', {
	dateStyle: 'medium',
	timeStyle: 'short',
	timeZone: 'UTC',
});

/** A time that people can read; the exact one when they point at it. */
function time(iso: string): string {
	const exact = escape(iso);
	return `<time datetime="${exact}" title="${exact}">${escape(format.format(new Date(iso)))} UTC</time>`;
}

/** Longest value that the view of records shows, in characters. */
const maximumShown = 200;

/** A value of a record in one cell. */
function show(value: unknown): string {
	if (value === undefined || value === null) return '';
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.length > maximumShown ? `${text.slice(0, maximumShown)}…` : text;
}

function render(name: (typeof viewNames)[number], data: PageData & { page: string }): string {
	const hidden = `<input type="hidden" name="form_token" value="${escape(data.formToken)}">`;
	return eta.render(`@${name}`, { ...data, hidden, time, show, roles, tierNames });
}

/** The form that asks for the password. */
export function renderSignIn(data: { failed: boolean; next: string }): string {
	return eta.render('@signIn', data);
}

/** The settings. Every value is escaped. */
export function renderSettings(data: SettingsData): string {
	return render('settings', Object.assign(data, { page: 'settings' }));
}

/** The view of records. Every value is escaped. */
export function renderRecords(data: RecordsData): string {
	return render('records', Object.assign(data, { page: 'records' }));
}

/** A question before something is done. */
export function renderQuestion(data: Question): string {
	return render('confirm', Object.assign(data, { page: 'settings' }));
}
