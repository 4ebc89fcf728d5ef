/**
 * Loaded into n8n by NODE_OPTIONS: its clock is ahead by the milliseconds in the file CLOCK_AHEAD_FILE, as if they
 * had passed. Read at the start and at each SIGUSR2.
 */
const { readFileSync } = require('node:fs');

const now = Date.now;
let aheadMs = 0;
const read = () => {
	aheadMs = Number(readFileSync(process.env.CLOCK_AHEAD_FILE, 'utf8'));
};
process.on('SIGUSR2', read);
read();
Date.now = () => now() + aheadMs;
