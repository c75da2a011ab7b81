import { labelOf } from '../../../../lib/markdown-links.ts'
import { parseLinks } from '../../../../notes/links/syntax.ts'
import { keyOf, type Links, type Outgoing } from './tokens.ts'

/** Whether a target is the id of the note, maybe with a heading. */
const isById = ({ note }: Outgoing, key: string): boolean => note !== null && note.id === key.split('#')[0]

/**
 * Finds for each target in a text where it leads. The server lists links without their targets, and many may have the
 * same label: so both lists are gone through in order.
 */
export function linksIn(text: string, outgoing: readonly Outgoing[]): Links {
  const links = new Map<string, NonNullable<Outgoing['note']>>()
  let at = 0
  for (const { target, label } of parseLinks(text)) {
    // In a table the bar is escaped.
    const key = keyOf(target.replace(/\\$/, ''))
    const shown = labelOf({ target, label: label ?? undefined })
    let found = at
    for (let one = outgoing[found]; one && one.text !== shown && !isById(one, key); one = outgoing[found])
      found++
    if (found === outgoing.length) continue
    at = found + 1
    const note = outgoing[found]?.note
    if (note) links.set(key, note)
  }
  return links
}
