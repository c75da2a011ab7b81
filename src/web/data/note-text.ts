import { mergedText, mergeTexts, type Part } from './merge.ts'

/** The editable text of a note. */
export interface NoteText {
  readonly title: string
  readonly content: string
}

/** A saved text, and the `updated_at` that identifies its version. */
export interface NoteVersion extends NoteText {
  readonly updated_at: string
  /** Of the base of edits: the later text that they were made in, which another tab may have saved. */
  readonly seen?: NoteText
}

/** The unsaved edits of a note in the outbox, with the version that they are based on. All tabs share them. */
export interface NoteEntry {
  readonly base: NoteVersion
  readonly text: NoteText
  /** Fingerprints of the texts sent since then without an acknowledgement. */
  readonly sent: readonly string[]
  /** The time of the last edit. */
  readonly at: number
  /** The initial tags of a note that does not exist yet. */
  readonly tags?: readonly string[]
}

/** An edit of one tab, as it is stored before it is merged into the entry of the note. */
export interface NoteEdit extends NoteEntry {
  /** The text of the entry, or the saved text, that the tab has edited. */
  readonly seen: NoteText
  /** The number of the edit among those of the tab. */
  readonly count: number
}

/** The `updated_at` of a note that the server has not created yet. */
export const NOT_MADE = ''

/** Conflicting versions of a note. The title is merged like a text of one line. */
export interface Conflict {
  readonly theirs: NoteVersion
  readonly title: readonly Part[]
  readonly content: readonly Part[]
}

export type Choice = 'mine' | 'theirs' | 'both'

export const hasSameText = (one: NoteText, other: NoteText): boolean =>
  one.title === other.title && one.content === other.content

export const isSameEntry = (one: NoteEntry, other: NoteEntry): boolean =>
  one.base.updated_at === other.base.updated_at &&
  hasSameText(one.text, other.text) &&
  one.sent.join() === other.sent.join()

const MAX_SENT = 100

/** The fingerprints of texts that were sent, with that of one more. */
export const withSent = (sent: readonly string[], text: NoteText): string[] => [
  ...sent.slice(1 - MAX_SENT),
  fingerprint(text),
]

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

/** Merges a saved version. Conflicts with the user's own text, which another tab has saved, are merged from that text. */
export function mergeNotes(
  base: NoteText & Pick<NoteVersion, 'seen'>,
  mine: NoteText,
  theirs: NoteVersion,
): Conflict {
  const conflict = {
    theirs,
    title: mergeTexts(base.title, mine.title, theirs.title),
    content: mergeTexts(base.content, mine.content, theirs.content),
  }
  if (!base.seen || resolvedText(conflict)) return conflict
  const since = mergeNotes(base.seen, mine, theirs)
  return resolvedText(since) ? since : conflict
}

/** Merges edits of two tabs of one browser. Of lines that both changed, both versions remain. */
export function mergeKeepingBoth(base: NoteText, mine: NoteText, theirs: NoteText): NoteText {
  if (hasSameText(base, theirs)) return mine
  if (hasSameText(base, mine)) return theirs
  return {
    title: withBoth(mergeTexts(base.title, mine.title, theirs.title), ' / '),
    content: withBoth(mergeTexts(base.content, mine.content, theirs.content), '\n'),
  }
}

const withBoth = (parts: readonly Part[], separator: string): string =>
  parts.map((part) => (part.kind === 'agreed' ? part.text : chosenText(part, 'both', separator))).join('')

/** Merges an edit that a tab has stored into the entry of its note. */
export function withEdit(entry: NoteEntry | undefined, { seen, count: _, ...edit }: NoteEdit): NoteEntry {
  if (entry)
    return {
      ...entry,
      text: mergeKeepingBoth(seen, edit.text, entry.text),
      at: Math.max(entry.at, edit.at),
    }
  if (hasSameText(seen, edit.base)) return edit
  return { ...edit, base: { ...edit.base, seen }, sent: [...edit.sent, fingerprint(seen)] }
}

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

/** Includes the content even without a difference: then it is unknown whether the server has saved it. */
export const changesBetween = (base: NoteText, text: NoteText): Partial<NoteText> => ({
  ...(text.title !== base.title && { title: text.title }),
  ...((text.content !== base.content || text.title === base.title) && { content: text.content }),
})
