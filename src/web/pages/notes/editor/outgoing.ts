import { labelOf } from '../../../../lib/markdown-links.ts'
import { keyOf, type Links, type Outgoing } from '../preview/tokens.ts'

const WIKI = /\[\[([^[\]|\n]{1,500})(?:\|([^[\]\n]{0,1000}))?\]\]/g

/**
 * Where the links of a text lead, by their targets. The server lists them in the order of the text, without their
 * targets and without those in code: each is found by what it shows.
 */
export function linksOfText(text: string, outgoing: readonly Outgoing[]): Links {
  const places = new Map<string, Outgoing[]>()
  for (const one of outgoing)
    for (const shown of [one.text, one.note?.id]) {
      if (shown === undefined) continue
      const found = places.get(shown)
      if (found) found.push(one)
      else places.set(shown, [one])
    }
  const links = new Map<string, NonNullable<Outgoing['note']>>()
  for (const [, target = '', label] of text.matchAll(WIKI)) {
    const key = keyOf(target)
    const note = (places.get(labelOf({ target, label })) ?? places.get(key.split('#')[0] ?? key))?.shift()
      ?.note
    if (note) links.set(key, note)
  }
  return links
}
