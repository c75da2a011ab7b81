import { inline } from '../text/markdown.ts'

/*
 * How a change reads, in the change log and in the history of a record.
 */

export interface PresentedActor {
  readonly surface: string
  readonly key_id: string | null
  readonly name: string | null
}

export interface PresentedVersion {
  readonly cursor: string
  readonly at: string
  readonly op: string
  readonly changed: readonly string[]
  readonly previous: Readonly<Record<string, unknown>>
  readonly actor: PresentedActor
}

/** The name of the key, else of the user, with the surface; the server itself has no name. */
export const actorName = ({ surface, name }: PresentedActor): string =>
  name === null ? surface : `${name} (${surface})`

/** The operation with what changed and the old values. */
export function versionLine({ op, changed, previous }: PresentedVersion, cut: number): string {
  const old = changed.map((key) =>
    Object.hasOwn(previous, key) ? `${key} (was ${inline(previous[key], cut) || 'none'})` : key,
  )
  return [op, old.join(', ')].filter((part) => part !== '').join(' ')
}
