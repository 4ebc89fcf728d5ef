import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Answers } from '../control/shapes.ts';
import type { Cursors } from './cursor.ts';
import type { RuntimeSettings } from '../foundation/settings.ts';
import type { Store } from '../storage/store.ts';
import type { Variants } from '../control/variants.ts';
import type { WorkspaceData } from '../domain/records.ts';

/** What the routes work with. */
export interface RouteContext {
	store: Store;
	data: WorkspaceData;
	answers: Answers;
	cursors: Cursors;
	variants: Variants;
	settings: RuntimeSettings;
}

/** The app, with request types inferred from zod schemas. */
export type App = FastifyInstance<
	RawServerDefault,
	IncomingMessage,
	ServerResponse,
	FastifyBaseLogger,
	ZodTypeProvider
>;
