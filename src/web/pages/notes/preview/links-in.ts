import { labelOf } from '../../../../lib/markdown-links.ts'
import { parseLinks } from '../../../../lib/wiki-links.ts'
import { keyOf, type Links, type Outgoing } from './tokens.ts'

/** True if the target is the note's id, optionally with a heading. */
const isById = ({ note }: Outgoing, key: string): boolean => note !== null && note.id === key.split('#')[0]

/**
 * Maps the targets in a text to notes. The server lists links without targets, and labels can repeat, so both lists are
 * walked in order.
 */
export function linksIn(text: string, outgoing: readonly Outgoing[]): Links {
  const links = new Map<string, NonNullable<Outgoing['note']>>()
  let next = 0
  for (const { target, label } of parseLinks(text)) {
    // Tables escape the bar.
    const key = keyOf(target.replace(/\\$/, ''))
    const visibleText = labelOf({ target, label: label ?? undefined })
    let found = next
    for (
      let link = outgoing[found];
      link && link.text !== visibleText && !isById(link, key);
      link = outgoing[found]
    )
      found++
    if (found === outgoing.length) continue
    next = found + 1
    const note = outgoing[found]?.note
    if (note) links.set(key, note)
  }
  return links
}
