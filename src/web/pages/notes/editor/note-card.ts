import type { EditorState } from '@codemirror/state'
import { hoverTooltip, type TooltipView } from '@codemirror/view'
import { shortTime } from '../../../components/time.tsx'
import { api } from '../../../data/api.ts'
import type { Links } from '../preview/tokens.ts'
import { linkAt } from './targets.ts'

const HOVER_MS = 350
const EXCERPT_LENGTH = 200

/** The beginning of a text without Markdown marks. */
const excerptOf = (content: string): string =>
  content
    .slice(0, 4 * EXCERPT_LENGTH)
    .replaceAll(
      /!?\[\[(?:[^[\]|\n]{1,500}\|)?([^[\]|\n]{1,500})\]\]|!?\[([^[\]\n]{0,500})\]\([^()\n]{0,500}\)/g,
      '$1$2',
    )
    .replaceAll(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)/gm, '')
    .replaceAll(/[*_`~]+/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, EXCERPT_LENGTH)

const element = (name: string, className: string, text: string): HTMLElement =>
  Object.assign(document.createElement(name), { className, textContent: text })

async function cardOf(id: string): Promise<TooltipView> {
  const { note } = await api.get('/v1/notes/{id}', { params: { id } })
  const dom = element('div', 'note-card', '')
  dom.append(element('strong', '', note.title))
  dom.append(element('small', 'dim', `edited ${shortTime(new Date(note.updated_at))}`))
  const excerpt = excerptOf(note.content)
  if (excerpt !== '') dom.append(element('p', '', excerpt))
  return { dom }
}

/** A hover card for links to notes, with the title and beginning of the target. */
export const noteCards = (linksOf: (state: EditorState) => Links) =>
  hoverTooltip(
    async ({ state }, pos) => {
      const target = linkAt(state, pos, linksOf(state))
      if (target?.note === undefined) return null
      const card = await cardOf(target.note).catch(() => undefined)
      return card ? { pos: pos, create: () => card } : null
    },
    { hoverTime: HOVER_MS, hideOnChange: true },
  )
