/** Where every instant comes from, in milliseconds since 1970; tests hand in one they can move. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
