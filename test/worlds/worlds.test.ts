/**
 * Generated worlds: services, workflows and hands of all kinds, in n8n's engine, under laws that must always hold.
 * Here for seconds; `WORLDS_MINUTES=30 npm run worlds` for as long as wanted. Worlds have consecutive seeds: `WORLDS_SEED=294
 * WORLDS_COUNT=1` plays one again. Each finding is printed with its seed and the smallest world that shows it.
 */
import fc from 'fast-check';
import { broken, type LawName } from './laws';
import { openNetwork, strangers } from './network';
import { play } from './play';
import { endVirtualTime, startVirtualTime } from './virtualTime';
import { worlds, type World } from './world';

/** What the environment asks for; by default a short run. */
const settings = {
	seed: Number(process.env.WORLDS_SEED ?? 1),
	minutes: Number(process.env.WORLDS_MINUTES ?? 0.2),
	count: Number(process.env.WORLDS_COUNT ?? (process.env.WORLDS_MINUTES ? Infinity : 100)),
	/** Worlds that are tried to make a finding smaller. */
	shrinks: Number(process.env.WORLDS_SHRINKS ?? 100),
};

const generated = worlds();

let closeNetwork: () => void;
/** Ms of real time; the global one is virtual. */
const realNow = performance.now.bind(performance);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

beforeAll(() => {
	closeNetwork = openNetwork();
	startVirtualTime();
});
afterAll(() => {
	endVirtualTime();
	closeNetwork();
});

const breaks = async (world: World) => broken(await play(world));

/** How the smallest world found breaks a law, with that world; nothing if none does so again. */
async function smallest(seed: number, law: LawName): Promise<string> {
	let tries = 0;
	let finding = '';
	const holds = fc.asyncProperty(generated, async (world) => {
		if ((tries += 1) > settings.shrinks + 1) return;
		const how = (await breaks(world))[law];
		if (how === undefined) return;
		finding = `${how}\n${JSON.stringify(world)}`;
		throw new Error(how);
	});
	await fc.check(holds, { seed, numRuns: 1 });
	return finding;
}

test(`laws hold in generated worlds, from seed ${settings.seed} on`, async () => {
	const end = realNow() + settings.minutes * 60_000;
	const findings: string[] = [];
	const known = new Set<LawName>();
	let tried = 0;
	for (let seed = settings.seed; tried < settings.count && realNow() < end; seed += 1) {
		tried += 1;
		const [world] = fc.sample(generated, { seed, numRuns: 1 }) as [World];
		const found = await breaks(world);
		for (const law of Object.keys(found) as LawName[]) {
			if (known.has(law)) continue;
			known.add(law);
			const how = (await smallest(seed, law)) || `${found[law]}\n${JSON.stringify(world)}`;
			const finding = `${law}, seed ${seed}: ${how}`;
			findings.push(finding);
			say(finding);
		}
	}
	if (settings.count > 100) say(`${tried} worlds`);
	expect(findings).toEqual([]);
	expect(strangers).toEqual([]);
}, 36_000_000);
