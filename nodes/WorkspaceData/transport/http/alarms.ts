interface Alarm {
	due: number;
	ring(): void;
}

/**
 * Sets an alarm that rings once, unless it is turned off before.
 *
 * @param ms after which it rings
 * @returns turns it off
 */
export type SetAlarm = (ms: number, ring: () => void) => () => void;

/**
 * Creates alarms that need one timer for each length of time, however many are set: those of the same length ring in
 * the order in which they were set. Each request sets two and turns both off; a separate timer for each was a
 * tenth of all that a create computes here.
 *
 * @param now in ms, of a clock that nobody sets
 * @param after calls back once, after a number of ms, or a little before
 */
export function createAlarms(
	now: () => number,
	after: (ms: number, callBack: () => void) => void,
): SetAlarm {
	/** The alarms of each length of time, in the order in which they ring; a timer runs for each. */
	const lengths = new Map<number, Set<Alarm>>();

	function startTimer(ms: number, alarms: Set<Alarm>): void {
		const [next] = alarms;
		if (next) after(next.due - now(), () => ringDue(ms, alarms));
		else lengths.delete(ms);
	}

	function ringDue(ms: number, alarms: Set<Alarm>): void {
		try {
			for (const alarm of alarms) {
				if (alarm.due > now()) break;
				alarms.delete(alarm);
				alarm.ring();
			}
		} finally {
			// Whatever an alarm throws, the others ring.
			startTimer(ms, alarms);
		}
	}

	return (ms, ring) => {
		const alarm = { due: now() + ms, ring };
		const others = lengths.get(ms);
		const alarms = others ?? new Set<Alarm>();
		alarms.add(alarm);
		if (!others) {
			lengths.set(ms, alarms);
			startTimer(ms, alarms);
		}
		return () => void alarms.delete(alarm);
	};
}
