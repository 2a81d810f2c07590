/**
 * One order, one service, and everything that may go wrong between them, small enough that every history can be looked at. Time goes in
 * steps of one unit; the quarantine is longer than the service's lateness and the search's delay together, as the program demands.
 */
export interface Variant {
  /** The service compares a key of the order, and refuses the second. */
  readonly key: boolean;
  /** A project of somebody else with the same key stands there. */
  readonly rival: boolean;
  /** Steps until a request that was lost on its way is done at the latest. */
  readonly lateness: number;
  /** Steps until a project is shown by searches at the latest. */
  readonly searchDelay: number;
}

/** How a client departs from the protocol; each of them was somebody's bug. */
export interface Protocol {
  readonly retryOnTimeout: boolean;
  readonly intentAfterAnswer: boolean;
  readonly quarantine: number;
  /** The quarantine counts from the intent, not from the last instant at which the bytes could have left. */
  readonly quarantineFromIntent: boolean;
  readonly conflictIsSomebodyElses: boolean;
  /** Says `allowDuplication: false`, so that the service's own rule is a barrier. */
  readonly sendsKey: boolean;
  readonly searchesBeforeRepeat: boolean;
}

/** In steps. */
export const LATENESS = 2;
export const SEARCH_DELAY = 1;
export const QUARANTINE = LATENESS + SEARCH_DELAY + 1;

export const OURS: Protocol = {
  retryOnTimeout: false,
  intentAfterAnswer: false,
  quarantine: QUARANTINE,
  quarantineFromIntent: false,
  conflictIsSomebodyElses: false,
  sendsKey: true,
  searchesBeforeRepeat: true,
};

const CRASHES_MAX = 2;
const ATTEMPTS_MAX = 3;
const TIME_MAX = 22;

/** On disk: what a crash leaves. */
type OnRecord =
  | { readonly state: 'ready' }
  | { readonly state: 'submitting'; readonly since: number }
  | { readonly state: 'unresolved'; readonly since: number }
  | { readonly state: 'created' | 'linked' };

/** Of the process that runs now; gone with it. */
type InMemory =
  | { readonly at: 'idle' }
  /** A create is out; the answer is waited for. `since`: when it was begun. */
  | { readonly at: 'waiting'; readonly since: number }
  /** The service's own word has come, and is not on record yet. */
  | { readonly at: 'answered'; readonly answer: 'created' | 'conflict' | 'lost'; readonly since: number };

/** A request that may still be done. */
interface OnItsWay {
  readonly until: number;
  readonly allowsDuplicate: boolean;
  /** Whoever sent it still waits for the answer. */
  readonly awaited: boolean;
}

export interface State {
  readonly time: number;
  readonly record: OnRecord;
  readonly memory: InMemory;
  readonly attempts: number;
  readonly crashes: number;
  readonly onItsWay: readonly OnItsWay[];
  /** Our projects at the service: when each is shown by a search at the latest. */
  readonly projects: readonly number[];
}

export interface Step {
  readonly what: string;
  readonly state: State;
}

export const START: State = {
  time: 0,
  record: { state: 'ready' },
  memory: { at: 'idle' },
  attempts: 0,
  crashes: 0,
  onItsWay: [],
  projects: [],
};

/** What is wrong with a state, or null. An end is wrong where it does not tell the truth about the service. */
export function wrongWith(state: State): string | null {
  if (state.projects.length > 1) return 'doubled';
  if (state.onItsWay.length > 0 || state.memory.at !== 'idle') return null;
  if (state.record.state === 'created' && state.projects.length === 0) return 'lost';
  if (state.record.state === 'linked' && state.projects.length > 0) return 'orphaned';
  return null;
}

/** All that may happen next. */
export function stepsFrom(state: State, variant: Variant, protocol: Protocol): readonly Step[] {
  return [
    ...serviceSteps(state, variant),
    ...clientSteps(state, variant, protocol),
    ...crash(state, variant, protocol),
    ...timePasses(state),
  ];
}

/** Time may pass unless something must be done before. */
function timePasses(state: State): readonly Step[] {
  if (state.time >= TIME_MAX || state.onItsWay.some(({ until }) => until <= state.time)) return [];
  return [{ what: 'time passes', state: { ...state, time: state.time + 1 } }];
}

/** A request on its way is done, lost for good, or refused because of its key. */
function serviceSteps(state: State, variant: Variant): readonly Step[] {
  return state.onItsWay.flatMap((request, index): readonly Step[] => {
    const rest = state.onItsWay.toSpliced(index, 1);
    const answered = (answer: 'created' | 'conflict'): Pick<State, 'memory'> =>
      request.awaited && state.memory.at === 'waiting'
        ? { memory: { at: 'answered', answer, since: state.memory.since } }
        : { memory: state.memory };
    const unheard = { ...state, onItsWay: rest };
    const refused = variant.key && !request.allowsDuplicate && (variant.rival || state.projects.length > 0);
    const done: State = refused
      ? { ...unheard, ...answered('conflict') }
      : { ...unheard, projects: [...state.projects, state.time + variant.searchDelay], ...answered('created') };
    return [
      { what: refused ? 'the service refuses a duplicate' : 'the service makes the project', state: done },
      { what: 'a request is lost', state: { ...unheard } },
    ];
  });
}

function clientSteps(state: State, variant: Variant, protocol: Protocol): readonly Step[] {
  const { record, memory } = state;
  switch (memory.at) {
    case 'waiting':
      return [
        {
          what: 'the client gives up waiting',
          state: { ...gaveUp(state, variant), memory: { at: 'answered', answer: 'lost', since: memory.since } },
        },
      ];
    case 'answered':
      return recordAnswer(state, variant, memory, protocol);
    case 'idle':
      if (record.state === 'ready' && state.attempts < ATTEMPTS_MAX) return [send(state, variant, protocol)];
      // A process that begins finds what another has left: in doubt since now.
      if (record.state === 'submitting') {
        const since = protocol.quarantineFromIntent ? record.since : state.time;
        return [{ what: 'recovered', state: { ...state, record: { state: 'unresolved', since } } }];
      }
      return record.state === 'unresolved' ? settle(state, record.since, protocol) : [];
  }
}

function send(state: State, variant: Variant, protocol: Protocol): Step {
  const onItsWay = [
    ...state.onItsWay,
    { until: state.time + variant.lateness, allowsDuplicate: !protocol.sendsKey, awaited: true },
  ];
  const record: OnRecord = protocol.intentAfterAnswer ? state.record : { state: 'submitting', since: state.time };
  return {
    what: 'sent',
    state: { ...state, record, attempts: state.attempts + 1, onItsWay, memory: { at: 'waiting', since: state.time } },
  };
}

/** Nobody waits any more: the bytes may have left until now. */
function gaveUp(state: State, variant: Variant): State {
  return {
    ...state,
    onItsWay: state.onItsWay.map((request) =>
      request.awaited ? { ...request, awaited: false, until: state.time + variant.lateness } : request,
    ),
  };
}

function recordAnswer(
  state: State,
  variant: Variant,
  memory: Extract<InMemory, { at: 'answered' }>,
  protocol: Protocol,
): readonly Step[] {
  const to = (record: OnRecord, what: string): Step => ({ what, state: { ...state, record, memory: { at: 'idle' } } });
  switch (memory.answer) {
    case 'created':
      return [to({ state: 'created' }, 'created is on record')];
    case 'lost':
      if (protocol.retryOnTimeout) return [to({ state: 'ready' }, 'taken for not created')];
      return [
        to({ state: 'unresolved', since: protocol.quarantineFromIntent ? memory.since : state.time }, 'in doubt'),
      ];
    case 'conflict':
      return afterConflict(state, variant, protocol, to);
  }
}

function afterConflict(
  state: State,
  variant: Variant,
  protocol: Protocol,
  to: (record: OnRecord, what: string) => Step,
): readonly Step[] {
  if (protocol.conflictIsSomebodyElses) return [to({ state: 'linked' }, 'taken for somebody else’s')];
  return looks(state).map((seen) => {
    if (seen) return to({ state: 'created' }, 'ours was found after a conflict');
    if (variant.rival) return to({ state: 'linked' }, 'somebody else’s was found');
    return to({ state: 'unresolved', since: state.time }, 'nothing to be seen yet');
  });
}

function settle(state: State, since: number, protocol: Protocol): readonly Step[] {
  const repeat: Step = {
    what: 'searched, not found: free to be sent again',
    state: { ...state, record: { state: 'ready' } },
  };
  if (!protocol.searchesBeforeRepeat) return state.time - since >= protocol.quarantine ? [repeat] : [];
  return looks(state).flatMap((seen): readonly Step[] => {
    if (seen) return [{ what: 'adopted', state: { ...state, record: { state: 'created' } } }];
    return state.time - since >= protocol.quarantine ? [repeat] : [];
  });
}

/** What a search may show: a project that is due is shown, a younger one may be. */
function looks({ projects, time }: State): readonly boolean[] {
  if (projects.length === 0) return [false];
  return projects.some((shownFrom) => shownFrom <= time) ? [true] : [true, false];
}

function crash(state: State, variant: Variant, protocol: Protocol): readonly Step[] {
  const busy = state.memory.at !== 'idle' || state.record.state === 'submitting';
  if (!busy || state.crashes >= CRASHES_MAX) return [];
  // What a dead process had sent may arrive until its lateness is over, counted from its death.
  const onItsWay = state.onItsWay.map((request) =>
    request.awaited ? { ...request, awaited: false, until: state.time + variant.lateness } : request,
  );
  const record: OnRecord =
    protocol.intentAfterAnswer && state.record.state === 'ready' ? { state: 'ready' } : state.record;
  return [
    { what: 'killed', state: { ...state, record, crashes: state.crashes + 1, memory: { at: 'idle' }, onItsWay } },
  ];
}
