import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { fileIdOf, safeLink } from '../../../../lib/markdown-links.ts'
import { address } from '../../../router.ts'
import { keyOf, type Links } from '../preview/tokens.ts'
import { noteAddress } from '../route.ts'
import { syntaxTree } from './syntax.ts'

/** The target of a link in the text. */
export interface LinkTarget {
  /** Undefined if no note has this title. */
  readonly href: string | undefined
  /** True for links out of the application. */
  readonly isOutside: boolean
  readonly file?: string
  /** Id of the target note. */
  readonly note?: string
}

const WIKI = /^!?\[\[([^[\]|\n]+?)(?:\\?\|([^[\]\n]*))?\]\]$/

/** Target and label of a wiki link. In tables, bars are written `\|`. */
export function partsOfWikiLink(text: string): { target: string; label: string | undefined } | undefined {
  const match = WIKI.exec(text)
  return match ? { target: match[1] ?? '', label: match[2]?.replaceAll('\\|', '|') } : undefined
}

/** The heading in a target, as a URL fragment. */
const headingFragment = (target: string): string => {
  const pos = target.lastIndexOf('#')
  return pos === -1 ? '' : `#${encodeURIComponent(target.slice(pos + 1).trim())}`
}

/** The target of a link node: a `WikiLink`, `Link`, `Image`, `Autolink` or `URL`. */
export function targetOf(state: EditorState, node: SyntaxNode, links: Links): LinkTarget | undefined {
  const text = state.sliceDoc(node.from, node.to)
  if (node.name === 'WikiLink') {
    const { target } = partsOfWikiLink(text) ?? { target: '' }
    const file = fileIdOf(target)
    if (file !== undefined) return { href: address(['files', file]), isOutside: false, file }
    const note = links.get(keyOf(target))
    return note
      ? { href: noteAddress(note.id) + headingFragment(target), isOutside: false, note: note.id }
      : { href: undefined, isOutside: false }
  }
  const url = node.name === 'URL' ? node : node.getChild('URL')
  const href = url && safeLink(state.sliceDoc(url.from, url.to))
  return href ? { href, isOutside: true } : undefined
}

const LINKS = new Set(['WikiLink', 'Link', 'Autolink', 'URL'])

/** The target of the link pos a position. */
export function linkAt(state: EditorState, pos: number, links: Links): LinkTarget | undefined {
  for (const side of [1, -1] as const)
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(pos, side); node; node = node.parent)
      if (LINKS.has(node.name) && node.parent?.name !== 'Link' && node.parent?.name !== 'Image')
        return targetOf(state, node, links)
  return undefined
}
