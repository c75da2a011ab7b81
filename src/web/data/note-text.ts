import { mergedText, mergeTexts, type Part } from './merge.ts'

/** The editable text of a note. */
export interface NoteText {
  readonly title: string
  readonly content: string
}

/** A saved text, and the `updated_at` that identifies its version. */
export interface NoteVersion extends NoteText {
  readonly updated_at: string
}

/** Unacknowledged edits, with the version that they are based on. */
export interface Draft {
  readonly user: string
  readonly workspace: string
  readonly note: string
  /** The tab that wrote the draft; each tab has its own. */
  readonly tab: string
  readonly base: NoteVersion
  readonly text: NoteText
  /** Fingerprints of the texts sent since then without an acknowledgement. */
  readonly sent: readonly string[]
  readonly at: number
  /** Whether the tab shows the note, so that no other tab adopts the draft. */
  readonly isShown?: boolean
  /** Whether it could not be sent yet because the server could not be reached. */
  readonly isDelayed?: boolean
  /** The initial tags of a note that does not exist yet. */
  readonly tags?: readonly string[]
}

/** The `updated_at` of a note that the server has not created yet. */
export const NOT_MADE = ''

/** Identifies a draft. */
export type DraftKey = Pick<Draft, 'user' | 'workspace' | 'note' | 'tab'>

/** Conflicting versions of a note. The title is merged like a text of one line. */
export interface Conflict {
  readonly theirs: NoteVersion
  readonly title: readonly Part[]
  readonly content: readonly Part[]
}

export type Choice = 'mine' | 'theirs' | 'both'

export const hasSameText = (one: NoteText, other: NoteText): boolean =>
  one.title === other.title && one.content === other.content

const PRIMES = [0x9e3779b1, 0x85ebca77] as const

/** A short hash of a text: its length and two sums of its characters. */
export function fingerprint({ title, content }: NoteText): string {
  const text = `${title}\n${content}`
  let [one, other] = [1, 2]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, PRIMES[0])
    other = Math.imul(other ^ unit, PRIMES[1]) ^ (one >>> 15)
  }
  return [text.length, one >>> 0, other >>> 0].join('-')
}

/**
 * The idempotency key of a change, so that it is executed once even if two tabs send it: equal changes of the same version
 * have the same key.
 */
export const keyOfChange = (body: object) => ({
  'Idempotency-Key': fingerprint({ title: '', content: JSON.stringify(body) }),
})

export const mergeNotes = (base: NoteText, mine: NoteText, theirs: NoteVersion): Conflict => ({
  theirs,
  title: mergeTexts(base.title, mine.title, theirs.title),
  content: mergeTexts(base.content, mine.content, theirs.content),
})

/** The merged note, or undefined while it has conflicts. */
export function resolvedText({ title, content }: Conflict): NoteText | undefined {
  const [mergedTitle, mergedContent] = [mergedText(title), mergedText(content)]
  return mergedTitle === undefined || mergedContent === undefined
    ? undefined
    : { title: mergedTitle, content: mergedContent }
}

export const unresolvedCount = ({ title, content }: Conflict): number =>
  [...title, ...content].filter(({ kind }) => kind === 'passage').length

/** Resolves one conflict. */
export function resolvePassage(
  conflict: Conflict,
  place: 'title' | 'content',
  index: number,
  choice: Choice,
): Conflict {
  const separator = place === 'title' ? ' / ' : '\n'
  const parts = conflict[place].map(
    (part, at): Part =>
      at === index && part.kind === 'passage'
        ? { kind: 'agreed', text: chosenText(part, choice, separator) }
        : part,
  )
  return { ...conflict, [place]: parts }
}

/** The text for a choice. With both, mine comes first, and each starts on its own line. */
function chosenText({ mine, theirs }: { mine: string; theirs: string }, choice: Choice, separator: string) {
  if (choice !== 'both') return choice === 'mine' ? mine : theirs
  return mine === '' || theirs === '' || mine.endsWith('\n') ? mine + theirs : mine + separator + theirs
}
