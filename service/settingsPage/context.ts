/** What the pages work on. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkspaceData } from '../data/workspaceData.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Guard } from '../http/guard.ts';
import type { ResolvedOptions } from '../options.ts';

/** Path of the settings page. */
export const settingsRoot = '/settings';

/** What the pages work on. */
export interface SettingsContext extends ResolvedOptions {
	data: WorkspaceData;
	dispatcher: Dispatcher;
	workspaceId: string;
	guard: Guard;
	/** Where the service listens; known once it does. */
	addresses: { baseUrl: string; authUrl: string };
}

/** Something to be shown once, after a form was sent. */
export interface Notice {
	text: string;
	/** Names and values that are shown nowhere else. */
	secrets: Array<[name: string, value: string]>;
}

/** Somebody who is signed in. */
export interface Session {
	/** Shown on the next page they see, and then forgotten. */
	notices: Notice[];
}

/** A request of somebody signed in. */
export interface Visit extends SettingsContext {
	session: Session;
	request: FastifyRequest;
	reply: FastifyReply;
	/** The IDs in the path. */
	ids: Record<'id' | 'cid' | 'rid', string>;
}

/** The page of a card. */
export const cardPath = ({ cid }: { cid: string }) =>
	`${settingsRoot}/records/${encodeURIComponent(cid)}`;
