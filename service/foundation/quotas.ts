/** The bounds of the service, in one place. */
/** Every quota of the service in one place; DECISIONS.md says why each has its value. */
export interface Quotas {
	/** Largest request body, and most of a page of records, in bytes. */
	bodyBytes: number;
	pageBytes: number;
	/** Nesting of a body; members of its objects; elements of its arrays and members together. */
	bodyDepth: number;
	bodyKeys: number;
	bodyValues: number;
	/** Bytes of bodies and answers of one key in a second. */
	bytesPerSecond: number;
	/** Connections of a listener at a time. */
	connections: number;
	/** How long a request may take to arrive, and how long a client may read nothing of an answer, in ms. */
	idleMs: number;
	/** Size of the database, in bytes; Infinity for what the disk has. */
	fileBytes: number;
	/** E-mails in the outbox of one workspace. */
	mails: number;
	/** Largest record, in bytes of its stored JSON. */
	recordBytes: number;
	/** Cards of one workspace, and bytes of their names and descriptions together: they are listed at once. */
	cards: number;
	cardBytes: number;
	/** Fields of one card, and options of all of them together. */
	fields: number;
	options: number;
	/** Webhook subscriptions of one workspace. */
	subscriptions: number;
	/** Deliveries that wait for one subscription; one more pauses it. */
	pendingDeliveries: number;
	/** Bytes of the bodies that wait for one subscription; more pause it. */
	pendingBytes: number;
	/** Deliveries under way at a time (each has a socket): in all, of one workspace, and of one workspace to one target. */
	sockets: number;
	socketsPerWorkspace: number;
	socketsPerTarget: number;
	/** Delivered events that the log keeps: how many, how long (ms), and how many bytes of bodies. */
	logDeliveries: number;
	logAgeMs: number;
	logBytes: number;
	/** Attempts to sign in to the settings page, token requests and requests with a wrong credential, by address and minute. */
	signInsPerMinute: number;
	tokenRequestsPerMinute: number;
	wrongCredentialsPerMinute: number;
}

/** The quotas that hold where the options name no other. */
export const defaultQuotas: Readonly<Quotas> = {
	bodyBytes: 256 * 1024,
	pageBytes: 2 * 1024 * 1024,
	bodyDepth: 128,
	bodyKeys: 1_000,
	bodyValues: 10_000,
	bytesPerSecond: 32 * 1024 * 1024,
	connections: 1_000,
	idleMs: 30_000,
	fileBytes: Infinity,
	mails: 1_000,
	recordBytes: 256 * 1024,
	cards: 10_000,
	cardBytes: 2 * 1024 * 1024,
	fields: 500,
	options: 5_000,
	subscriptions: 1_000,
	pendingDeliveries: 250_000,
	pendingBytes: 256 * 1024 * 1024,
	sockets: 128,
	socketsPerWorkspace: 32,
	socketsPerTarget: 8,
	logDeliveries: 20_000,
	logAgeMs: 7 * 24 * 60 * 60 * 1000,
	logBytes: 64 * 1024 * 1024,
	signInsPerMinute: 10,
	tokenRequestsPerMinute: 120,
	wrongCredentialsPerMinute: 300,
};

/** Longest time that one piece of background work may hold the event loop, in ms; 50 ms is promised. */
export const sliceMs = 10;
