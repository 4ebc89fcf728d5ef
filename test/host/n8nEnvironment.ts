import { join } from 'node:path';

import { cacheFolder, type Major } from './folders.ts';

/** The settings of one n8n. Ports are on the loopback address. */
export interface N8nSettings {
	major: Major;
	/** Holds the database, the settings and the community packages. */
	userFolder: string;
	port: number;
	/** Where task runners connect; another one for each n8n. */
	brokerPort: number;
	/** The address that services see, where it is not the one n8n listens on; without a final slash. */
	publicUrl?: string;
	/** Added last; an empty string hides a variable. */
	extra?: Record<string, string>;
}

/** Variables of the surrounding shell that would steer n8n or npm. */
const foreign =
	/^(?:N8N|DB|QUEUE|EXECUTIONS|WEBHOOK|NODES|CREDENTIALS|GENERIC|OFFLOAD|CODE|npm)_|^NODE_(?:OPTIONS|ENV)$/i;

/** Everything that would call home. */
const silent = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_DIAGNOSTICS_CONFIG_FRONTEND: '',
	N8N_DIAGNOSTICS_CONFIG_BACKEND: '',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	EXTERNAL_FRONTEND_HOOKS_URLS: '',
};

/**
 * The whole environment of an n8n on the loopback address: the shell's own without what would steer
 * n8n, and what keeps it quiet, local and reachable by plain HTTP.
 */
export function n8nEnvironment(settings: N8nSettings): Record<string, string> {
	const address = `http://127.0.0.1:${settings.port}`;
	const publicUrl = settings.publicUrl ?? address;
	const inherited = Object.entries(process.env).filter(
		(entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
	);
	const local = ['127.0.0.1', 'localhost', process.env.NO_PROXY ?? process.env.no_proxy ?? ''];
	const noProxy = local.filter((host) => host !== '').join(',');
	return {
		...Object.fromEntries(inherited),
		...silent,
		NO_PROXY: noProxy,
		no_proxy: noProxy,
		// Node keeps what it compiled: a third less to wait for each start but the first.
		NODE_COMPILE_CACHE: join(cacheFolder, 'compiled'),
		N8N_USER_FOLDER: settings.userFolder,
		N8N_PORT: String(settings.port),
		// A worker serves its health there, and nothing else.
		QUEUE_HEALTH_CHECK_PORT: String(settings.port),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PROTOCOL: 'http',
		N8N_EDITOR_BASE_URL: address,
		// The older name is what 1.x knows; 2.x warns about it.
		[settings.major === 1 ? 'WEBHOOK_URL' : 'N8N_WEBHOOK_URL']: `${publicUrl}/`,
		N8N_SECURE_COOKIE: 'false',
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'false',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_PYTHON_ENABLED: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_RUNNERS_BROKER_PORT: String(settings.brokerPort),
		DB_TYPE: 'sqlite',
		DB_SQLITE_POOL_SIZE: '2',
		GENERIC_TIMEZONE: 'UTC',
		TZ: 'UTC',
		// Unknown names are fatal, so this is for the major that has these modules.
		...(settings.major === 2
			? { N8N_DISABLED_MODULES: 'mcp-registry,mcp,instance-ai,agents,chat-hub,workflow-builder' }
			: {}),
		...settings.extra,
	};
}
