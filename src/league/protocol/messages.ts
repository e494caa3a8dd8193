/** Who speaks. */
export type SenderKind = 'league_manager' | 'admin' | 'referee' | 'player';

/** The parts of an envelope that say what a message is about. */
export const contextFields = ['league_id', 'round_id', 'match_id', 'game_type'] as const;
export type ContextField = (typeof contextFields)[number];

export type MessageRule = {
  readonly response: string;
  readonly from: readonly SenderKind[];
  readonly to: SenderKind;
  /** What its envelope has to say besides. */
  readonly context: readonly ContextField[];
};

/** Every question of the league, who asks it of whom (hub and spoke: nothing else is said), and its answer. */
export const requests = {
  REGISTER_REFEREE_REQUEST: {
    response: 'REGISTER_REFEREE_RESPONSE',
    from: ['referee'],
    to: 'league_manager',
    context: [],
  },
  REGISTER_PLAYER_REQUEST: {
    response: 'REGISTER_PLAYER_RESPONSE',
    from: ['player'],
    to: 'league_manager',
    context: [],
  },
  AGENT_READY_REQUEST: {
    response: 'AGENT_READY_RESPONSE',
    from: ['referee', 'player'],
    to: 'league_manager',
    context: [],
  },
  ADMIN_START_LEAGUE_REQUEST: {
    response: 'ADMIN_START_LEAGUE_RESPONSE',
    from: ['admin'],
    to: 'league_manager',
    context: [],
  },
  ADMIN_GET_STATUS_REQUEST: {
    response: 'ADMIN_GET_STATUS_RESPONSE',
    from: ['admin'],
    to: 'league_manager',
    context: [],
  },
  MATCH_ASSIGNMENT: {
    response: 'MATCH_ASSIGNMENT_ACK',
    from: ['league_manager'],
    to: 'referee',
    context: ['league_id', 'round_id', 'match_id', 'game_type'],
  },
  GAME_INVITATION: {
    response: 'GAME_JOIN_ACK',
    from: ['referee'],
    to: 'player',
    context: ['match_id', 'game_type'],
  },
  REQUEST_MOVE: { response: 'MOVE_RESPONSE', from: ['referee'], to: 'player', context: ['match_id'] },
  GAME_OVER: { response: 'GAME_OVER_ACK', from: ['referee'], to: 'player', context: ['match_id'] },
  MATCH_RESULT_REPORT: {
    response: 'MATCH_RESULT_ACK',
    from: ['referee'],
    to: 'league_manager',
    context: ['league_id', 'round_id', 'match_id'],
  },
  QUERY_STANDINGS: {
    response: 'STANDINGS_RESPONSE',
    from: ['referee', 'player'],
    to: 'league_manager',
    context: ['league_id'],
  },
} as const satisfies Readonly<Record<string, MessageRule>>;

/** Goes to referees and players alike, so it has two recipients and a rule of its own. */
export const announcement = {
  response: 'ROUND_ANNOUNCEMENT_ACK',
  from: ['league_manager'],
  context: ['league_id', 'round_id'],
} as const;

export type RequestType = keyof typeof requests | 'ROUND_ANNOUNCEMENT';
export type ResponseType =
  | (typeof requests)[keyof typeof requests]['response']
  | typeof announcement.response;
export type MessageType = RequestType | ResponseType;

export const requestTypes = [...Object.keys(requests), 'ROUND_ANNOUNCEMENT'] as readonly RequestType[];
export const responseTypes: readonly ResponseType[] = requestTypes.map(responseTo);

export function isRequestType(type: unknown): type is RequestType {
  return typeof type === 'string' && (Object.hasOwn(requests, type) || type === 'ROUND_ANNOUNCEMENT');
}

export function isMessageType(type: unknown): type is MessageType {
  return isRequestType(type) || responseTypes.some((response) => response === type);
}

export function responseTo(type: RequestType): ResponseType {
  return type === 'ROUND_ANNOUNCEMENT' ? announcement.response : requests[type].response;
}

export function contextOf(type: RequestType): readonly ContextField[] {
  return type === 'ROUND_ANNOUNCEMENT' ? announcement.context : requests[type].context;
}

export function isRegistration(type: MessageType): boolean {
  return type === 'REGISTER_REFEREE_REQUEST' || type === 'REGISTER_PLAYER_REQUEST';
}

/** Hub and spoke: whether this is ever said by one to the other. */
export function maySay(type: RequestType, from: SenderKind, to: SenderKind): boolean {
  if (type === 'ROUND_ANNOUNCEMENT')
    return from === 'league_manager' && (to === 'referee' || to === 'player');
  const rule: MessageRule = requests[type];
  return rule.to === to && rule.from.includes(from);
}

/** Questions that one of a kind is asked by anybody at all. */
export function questionsTo(to: SenderKind): readonly RequestType[] {
  const everyone: readonly SenderKind[] = ['league_manager', 'admin', 'referee', 'player'];
  return requestTypes.filter((type) => everyone.some((from) => maySay(type, from, to)));
}
