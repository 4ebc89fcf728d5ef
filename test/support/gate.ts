import { Lane, Pace, type Place } from '../../nodes/WorkspaceData/transport/http/pace';
import type { ReadOptions } from '../../nodes/WorkspaceData/transport/request';
import type { Headers } from '../../nodes/WorkspaceData/transport/http/rateLimitHeaders';
import type { Clock } from '../../nodes/WorkspaceData/transport/http/clock';

/** The pace of a key, for requests that nothing but the rate limit holds back. */
export interface Gate {
	/** Waits until a request may be sent. @param lane its execution */
	enter(request?: ReadOptions, lane?: Lane): Promise<Place | undefined>;
	/** Ends all waiting requests of an execution. */
	cancel(lane: Lane): void;
	/** The response to the request that was sent first; undefined if there was none. @param closedUntil as of `Pace.leave`*/
	leave(headers: Headers | undefined, closedUntil?: number): void;
}

/** Opens the pace of a key about which nothing is known. */
export function openGate(clock: Clock): Gate {
	const pace = new Pace(clock);
	const underWay: Place[] = [];
	const usual = new Lane();
	return {
		async enter(request = {}, lane = usual) {
			const sent = await pace.enter(lane, { maxParallel: 64, ...request });
			if (sent) underWay.push(sent);
			return sent;
		},
		cancel: (lane) => pace.cancel(lane),
		leave(headers, closedUntil) {
			const sent = underWay.shift();
			if (sent) pace.leave(sent, headers, closedUntil);
		},
	};
}
