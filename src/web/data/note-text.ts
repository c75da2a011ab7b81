import { mergedText, mergeTexts, type Part } from './merge.ts'

/** What a person writes in a note. */
export interface NoteText {
  readonly title: string
  readonly content: string
}

/** A text as the server holds it, and the `updated_at` by which it is known whether it changed since. */
export interface NoteVersion extends NoteText {
  readonly updated_at: string
}

/** What was typed and the server has not acknowledged, with the version that it was typed into. */
export interface Draft {
  readonly user: string
  readonly workspace: string
  readonly note: string
  /** The tab that wrote it; two tabs keep a draft each. */
  readonly tab: string
  readonly base: NoteVersion
  readonly text: NoteText
  /** Fingerprints of what was sent since then without an acknowledgement. */
  readonly sent: readonly string[]
  readonly at: number
  /** Whether the tab shows the note: then no other one takes it up. */
  readonly isShown?: boolean
  /** Of a note that is not made yet: the tags that it begins with. */
  readonly tags?: readonly string[]
}

/** The `updated_at` of a note that the server does not hold yet. */
export const NOT_MADE = ''

/** Names one draft. */
export type DraftKey = Pick<Draft, 'user' | 'workspace' | 'note' | 'tab'>

/** What two sides made of one note; a title is merged like a text of one line. */
export interface Conflict {
  readonly theirs: NoteVersion
  readonly title: readonly Part[]
  readonly content: readonly Part[]
}

export type Choice = 'mine' | 'theirs' | 'both'

export const hasSameText = (one: NoteText, other: NoteText): boolean =>
  one.title === other.title && one.content === other.content

const PRIMES = [0x9e3779b1, 0x85ebca77] as const

/** A short name for a text, by which it is known again: its length and two sums of its characters. */
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
 * The header by which a change is made once, though two tabs send it: the same change of the same version has the
 * same key.
 */
export const keyOfChange = (body: object) => ({
  'Idempotency-Key': fingerprint({ title: '', content: JSON.stringify(body) }),
})

export const mergeNotes = (base: NoteText, mine: NoteText, theirs: NoteVersion): Conflict => ({
  theirs,
  title: mergeTexts(base.title, mine.title, theirs.title),
  content: mergeTexts(base.content, mine.content, theirs.content),
})

/** The merged note, or undefined while a passage is to be settled. */
export function resolvedText({ title, content }: Conflict): NoteText | undefined {
  const [mergedTitle, mergedContent] = [mergedText(title), mergedText(content)]
  return mergedTitle === undefined || mergedContent === undefined
    ? undefined
    : { title: mergedTitle, content: mergedContent }
}

export const unresolvedCount = ({ title, content }: Conflict): number =>
  [...title, ...content].filter(({ kind }) => kind === 'passage').length

/** Settles one passage. */
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

/** Of both, mine comes first, and each begins on a line of its own. */
function chosenText({ mine, theirs }: { mine: string; theirs: string }, choice: Choice, separator: string) {
  if (choice !== 'both') return choice === 'mine' ? mine : theirs
  return mine === '' || theirs === '' || mine.endsWith('\n') ? mine + theirs : mine + separator + theirs
}
