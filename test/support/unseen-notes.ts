import fc from 'fast-check'
import { arbitraryLongText, HOSTILE_TEXTS, partOf } from './hostile-values.ts'
import { randomSource } from './random.ts'
import type { Client, TestService } from './service.ts'
import {
  arbitraryNote,
  arbitraryTree,
  type NewOracleNote,
  type OracleNote,
  type OracleTree,
} from './tree-oracle.ts'
import { fillTreeWorkspace, makeTreeWorkspace, type TreeWorkspace } from './tree-workspace.ts'

/* A workspace of hostile notes with a history, and queries over it. */

/** Appears in the titles of filler notes and in no other title. */
export const FILLER = 'qzfiller'

/** Makes each title unique, however many notes share a seed. */
const arbitraryNotes = (seed: number, count: number, mark = ''): NewOracleNote[] =>
  fc
    .sample(fc.tuple(arbitraryNote, arbitraryLongText), { seed, numRuns: count })
    .map(([note, text], at) => ({ ...note, title: titled(`${mark}${text}`, at), isTrashed: false }))

/** A title is one line without spaces around it. */
const titled = (text: string, at: number): string =>
  `${text.replaceAll(/[\r\n\t]/g, ' ').trim()} ${at}`.trim()

const bodies = (seed: number, count: number): string[] =>
  fc.sample(
    fc.array(arbitraryLongText, { maxLength: 4 }).map((texts) => texts.join('\n')),
    { seed, numRuns: count },
  )

async function changed(answer: ReturnType<Client['post']>, before: OracleNote): Promise<OracleNote> {
  const { status, body } = await answer
  if (status !== 200) throw new Error(body.error)
  return { ...before, ...body.note }
}

/** Changes the text of some notes, deletes some, and restores some of the deleted. */
async function disturb({ client, notes }: TreeWorkspace, service: TestService, seed: number): Promise<void> {
  const random = randomSource(seed)
  const texts = bodies(seed, notes.length)
  for (let round = 0; round < notes.length; round++) {
    service.clock.advance(random(3))
    const at = random(notes.length)
    const note = notes[at]
    if (!note) return
    const path = `/v1/notes/${note.id}`
    if (round % 4 < 3) notes[at] = await changed(client.patch(path, { content: texts[round] }), note)
    else {
      await client.delete(path)
      if (round % 8 === 3) notes.splice(at, 1)
      else notes[at] = await changed(client.post(`${path}/restore`), note)
    }
  }
}

/** Creates the same notes for the same seed, with `fillers` other notes beside them. */
export async function makeNotes(
  service: TestService,
  { seed, notes, fillers = 0 }: { seed: number; notes: number; fillers?: number },
): Promise<TreeWorkspace> {
  const workspace = await makeTreeWorkspace(service)
  await fillTreeWorkspace(service, workspace, arbitraryNotes(seed, notes))
  await disturb(workspace, service, seed)
  const beside = { ...workspace, notes: [] }
  await fillTreeWorkspace(service, beside, arbitraryNotes(seed + 1, fillers, `${FILLER} `))
  return workspace
}

export interface NotesCase {
  readonly tree: OracleTree
  readonly search: string | undefined
  readonly sort: 'created_at' | 'updated_at' | 'title' | undefined
  readonly direction: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
  /** The title of the note that the search derives from. */
  readonly pivot: string | undefined
}

const hasWord = (text: string) => /[\p{L}\p{N}]/u.test(text)

/** A word, phrase or prefix of the notes, or a negated one. */
function arbitraryTerm(titles: readonly string[]): fc.Arbitrary<string> {
  const text = fc.oneof(
    fc.constantFrom<string>(...HOSTILE_TEXTS),
    fc.constantFrom(...titles).chain(partOf),
    fc.constantFrom(...titles.flatMap((title) => title.split(' '))),
  )
  return fc
    .tuple(text, fc.constantFrom('plain', 'plain', 'quoted', 'prefix', 'excluded'))
    .map(([term, form]) => {
      const plain = term.replaceAll('"', ' ').trim() || 'a'
      if (form === 'quoted') return `"${plain}"`
      return form === 'prefix' ? `${plain}*` : form === 'excluded' ? `-${plain}` : plain
    })
}

/** The search text that finds the note with this title. */
const titleSearch = (title: string) => `"${title.replaceAll('"', ' ')}"`

export function arbitraryNotesCase({ notes }: TreeWorkspace): fc.Arbitrary<NotesCase> {
  const titles = notes.map(({ title }) => title)
  const typed = fc.array(arbitraryTerm(titles), { minLength: 1, maxLength: 3 }).map((terms) => ({
    search: Array.from(terms.join(' ')).slice(0, 240).join(''),
    pivot: undefined as string | undefined,
  }))
  const pivoted = fc
    .constantFrom(...titles.filter((title) => hasWord(title) && title.length < 400))
    .map((title) => ({ search: titleSearch(title), pivot: title as string | undefined }))
  const none = fc.constant({ search: undefined, pivot: undefined })
  return fc
    .tuple(
      fc.oneof<fc.Arbitrary<Pick<NotesCase, 'search' | 'pivot'>>[]>(typed, typed, pivoted, none),
      arbitraryTree,
      fc.constantFrom('created_at', 'updated_at', 'title', undefined),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.constantFrom(1, 7, 60),
      fc.oneof(fc.constant(0), fc.nat(notes.length)),
    )
    .map(([search, tree, sort, direction, limit, offset]) => ({
      ...search,
      tree,
      sort,
      direction,
      limit,
      offset,
    }))
}
