import { withTexts } from '../../../lib/json-texts.ts'
import { bracketed } from '../../../lib/wiki-links.ts'
import { type PropertyType, refusalOfValue } from '../../../notes/property-values.ts'
import { type LinkContext, rewrittenPropertyLink } from './links.ts'
import type { VaultNote } from './note.ts'
import { NO_OPTIONS } from './properties.ts'

interface Rule {
  readonly key: string
  readonly type: PropertyType
}

/**
 * Rewrites the links in the property values of a note so that the service resolves them to their notes in the folder.
 * Links to files stay as they are written, and so do values that would become too long.
 */
export function withPropertyLinks<Of extends Rule>(
  context: LinkContext,
  from: VaultNote,
  values: ReadonlyMap<Of, unknown>,
): Map<Of, unknown> {
  const rewritten = (rule: Of, value: unknown): unknown => {
    if (rule.type !== 'text' && rule.type !== 'json') return value
    const linked = withTexts(value, (text) => rewrittenText(context, from, text))
    return refusalOfValue(rule, linked, NO_OPTIONS) ? value : linked
  }
  return new Map(Array.from(values, ([rule, value]) => [rule, rewritten(rule, value)]))
}

function rewrittenText(context: LinkContext, from: VaultNote, text: string): string {
  let result = ''
  let at = 0
  for (const { text: inner, start } of bracketed(text)) {
    const link = rewrittenPropertyLink(context, from, inner)
    if (link === undefined) continue
    result += text.slice(at, start - '[['.length) + link
    at = start + inner.length + ']]'.length
  }
  return result + text.slice(at)
}
