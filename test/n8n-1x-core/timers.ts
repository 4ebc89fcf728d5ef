/** n8n-core 1 starts timers that it never stops; they must not keep the tests from ending. */
const start = globalThis.setInterval;
globalThis.setInterval = ((...args: Parameters<typeof start>) =>
	start(...args).unref()) as typeof start;
