/** Loaded into n8n by NODE_OPTIONS: each SIGUSR2 puts its clock two hours ahead, as if they had passed. */
const now = Date.now;
let aheadMs = 0;
process.on('SIGUSR2', () => {
	aheadMs += 2 * 3_600_000;
});
Date.now = () => now() + aheadMs;
