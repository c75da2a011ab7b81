import { sessionState } from '../../data/session-state.ts'

/** The last created secret, which the server never shows again. */
export const shownSecret = sessionState<{ readonly id: string; readonly secret: string } | undefined>(
  undefined,
)
