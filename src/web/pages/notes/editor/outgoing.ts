import { labelOf } from '../../../../lib/markdown-links.ts'
import { keyOf, type Links, type Outgoing } from '../preview/tokens.ts'

const WIKI = /\[\[([^[\]|\n]{1,500}?)(?:\\?\|([^[\]\n]{0,1000}))?\]\]/g

/**
 * The targets of a text's links. The server lists links in text order, by their visible text, without those in code; each
 * is matched by that text.
 */
export function linksOfText(text: string, outgoing: readonly Outgoing[]): Links {
  const byText = new Map<string, Outgoing[]>()
  for (const link of outgoing)
    for (const shown of [link.text, link.note?.id]) {
      if (shown === undefined) continue
      const found = byText.get(shown)
      if (found) found.push(link)
      else byText.set(shown, [link])
    }
  const links = new Map<string, NonNullable<Outgoing['note']>>()
  for (const [, target = '', written] of text.matchAll(WIKI)) {
    const key = keyOf(target)
    const label = written?.replaceAll('\\|', '|')
    const note = (byText.get(labelOf({ target, label })) ?? byText.get(key.split('#')[0] ?? key))?.shift()
      ?.note
    if (note) links.set(key, note)
  }
  return links
}
