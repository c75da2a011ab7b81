import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete'
import { api } from '../../../data/api.ts'
import { cache } from '../../../data/cache.ts'
import { type FoundNote, findNotes } from '../../../data/find-notes.ts'
import { keyOf } from '../preview/tokens.ts'
import { showTakenLink } from './live-preview.ts'

const MAX_COMPLETIONS = 20

/** The notes that match, one for each title, except titles with characters that would end a link. */
async function findTargets(typed: string): Promise<FoundNote[]> {
  const notes = await findNotes(typed.trim(), MAX_COMPLETIONS)
  const byTitle = new Map(notes.map((note) => [note.title, note]))
  return [...byTitle.values()].filter(({ title }) => !/[[\]|]/.test(title))
}

/** Completes note titles after `[[`. */
export async function completeTitles(context: CompletionContext): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/\[\[[^[\]|\n]*/)
  if (!typed) return null
  const targets = await findTargets(typed.text.slice(2)).catch(() => [])
  const isClosed = context.state.sliceDoc(context.pos, context.pos + 2) === ']]'
  return {
    from: typed.from + 2,
    filter: false,
    options: targets.map(({ id, title: label }) => ({
      label,
      apply: (view, _, from, to) => {
        const end = isClosed ? to + 2 : to
        view.dispatch({
          changes: { from, to: end, insert: `${label}]]` },
          selection: { anchor: from + label.length + 2 },
        })
        showTakenLink(view, keyOf(label), { id, title: label })
      },
    })),
  }
}

/** Completes tag names after `#`. */
export async function completeTags(context: CompletionContext): Promise<CompletionResult | null> {
  const typed = context.matchBefore(/(?<=^|\s)#[\p{L}\p{N}_/-]*/u)
  if (!typed) return null
  const { tags } = await cache
    .ensureQueryData({ queryKey: ['tag note'], queryFn: () => api.get('/v1/tags') })
    .catch(() => ({ tags: [] }))
  return {
    from: typed.from + 1,
    options: tags.map(({ name }) => ({ label: name, type: 'keyword' })),
    validFor: /^[\p{L}\p{N}_/-]*$/u,
  }
}
