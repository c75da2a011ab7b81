/** Markup. Text that is not markup is escaped wherever it is inserted. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | null | undefined | false | readonly Part[]

function markupOf(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return Bun.escapeHTML(part)
  if (!Array.isArray(part)) return typeof part === 'number' ? String(part) : ''
  let text = ''
  for (const one of part) text += markupOf(one)
  return text
}

/** A template of markup. Inserted parts are escaped and may be text, markup, or a list of these. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? ''
  for (let at = 0; at < parts.length; at++) text += markupOf(parts[at]) + strings[at + 1]
  return new Html(text)
}
