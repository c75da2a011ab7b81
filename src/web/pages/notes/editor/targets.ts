import type { EditorState } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { fileIdOf, safeLink } from '../../../../lib/markdown-links.ts'
import { address } from '../../../router.ts'
import { noteAddress } from '../place.ts'
import { keyOf, type Links } from '../preview/tokens.ts'
import { syntaxTree } from './syntax.ts'

/** Where a link in the text leads. */
export interface LinkTarget {
  /** Undefined if it leads nowhere: no note has this title yet. */
  readonly href: string | undefined
  /** Whether it leads out of the application. */
  readonly isOutside: boolean
  readonly file?: string
  /** The id of the note that it leads to. */
  readonly note?: string
}

const WIKI = /^!?\[\[([^[\]|\n]+)(?:\|([^[\]\n]*))?\]\]$/

/** The target and the label of a link between notes, as written. */
export function partsOfWikiLink(text: string): { target: string; label: string | undefined } | undefined {
  const match = WIKI.exec(text)
  return match ? { target: match[1] ?? '', label: match[2] } : undefined
}

/** The heading that a target names, as the end of an address. */
const headingIn = (target: string): string => {
  const at = target.lastIndexOf('#')
  return at === -1 ? '' : `#${encodeURIComponent(target.slice(at + 1).trim())}`
}

/** Where the link at a node of the syntax tree leads: a `WikiLink`, `Link`, `Image`, `Autolink` or `URL`. */
export function targetOf(state: EditorState, node: SyntaxNode, links: Links): LinkTarget | undefined {
  const text = state.sliceDoc(node.from, node.to)
  if (node.name === 'WikiLink') {
    const { target } = partsOfWikiLink(text) ?? { target: '' }
    const file = fileIdOf(target)
    if (file !== undefined) return { href: address(['files', file]), isOutside: false, file }
    const note = links.get(keyOf(target))
    return note
      ? { href: noteAddress(note.id) + headingIn(target), isOutside: false, note: note.id }
      : { href: undefined, isOutside: false }
  }
  const url = node.name === 'URL' ? node : node.getChild('URL')
  const href = url && safeLink(state.sliceDoc(url.from, url.to))
  return href ? { href, isOutside: true } : undefined
}

const LINKS = new Set(['WikiLink', 'Link', 'Autolink', 'URL'])

/** The link that a place in the text belongs to. */
export function linkAt(state: EditorState, at: number, links: Links): LinkTarget | undefined {
  for (const side of [1, -1] as const)
    for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side); node; node = node.parent)
      if (LINKS.has(node.name) && node.parent?.name !== 'Link' && node.parent?.name !== 'Image')
        return targetOf(state, node, links)
  return undefined
}
