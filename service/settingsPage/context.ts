/** What the pages work on. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WorkspaceData } from '../data/workspaceData.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Clock } from '../foundation/clock.ts';
import type { Guard } from '../http/guard.ts';
import type { Session } from './sessions.ts';

/** Path of the settings page. */
export const settingsRoot = '/settings';

/** What the pages work on. */
export interface SettingsContext {
	data: WorkspaceData;
	dispatcher: Dispatcher;
	workspaceId: string;
	realm: string;
	password: string;
	guard: Guard;
	/** The origin by which browsers reach the service, if it differs from the one it listens on. */
	publicUrl: string | undefined;
	mailServer: boolean;
	clock: Clock;
	/** Where the service listens; asked for at the first page. */
	addresses(): { baseUrl: string; authUrl: string };
}

/** A request of somebody signed in. */
export interface Visit {
	context: SettingsContext;
	session: Session;
	request: FastifyRequest;
	reply: FastifyReply;
}

/** The IDs in the path of a request. */
export const idsOf = ({ request }: Pick<Visit, 'request'>) =>
	request.params as Record<'id' | 'cid' | 'rid', string>;
